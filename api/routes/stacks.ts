/**
 * GET /stacks and /stacks/{name}: software that trains or serves, with constants fitted to published runs, and the rows
 * behind each number.
 */
import type { RequestHandler } from 'express'
import { type Catalogue, knownStack, nearestStacks } from '../catalogue.ts'
import { unknownPath } from '../hints/unknown-name.ts'

export function stacksRoute({ stacks }: Catalogue): RequestHandler {
  const answer = {
    stacks: [...stacks.values()].map(({ name, title, runs, framework, chips, constants }) => {
      return { name, title, runs, framework, chips, constants }
    }),
  }
  return (_request, response) => {
    response.json(answer)
  }
}

export function stackRoute(catalogue: Catalogue): RequestHandler<{ name: string }> {
  return ({ params: { name } }, response) => {
    const stack = knownStack(catalogue, name)
    if (!stack) throw unknownPath('stack', name, nearestStacks(catalogue, name))
    response.json(stack)
  }
}
