/** GET /models, /hardware and /stacks, and one entry of each by its name: what is known by name, with its sources. */
import type { RequestHandler } from 'express'
import {
  type Catalogue,
  knownChip,
  knownModel,
  knownStack,
  nearestChips,
  nearestModels,
  nearestStacks,
} from '../catalogue.ts'
import { chipsOf, countedModel, modelsOf, stacksOf } from '../catalogue-lists.ts'
import { unknownPath } from '../hints/unknown-name.ts'

export function catalogueRoutes(catalogue: Catalogue): Readonly<Record<string, RequestHandler>> {
  const model = entry('model', (name) => modelNamed(catalogue, name), nearestModels, catalogue)
  return {
    '/models': listed({ models: modelsOf(catalogue) }),
    '/models/:name': model,
    // A release with its owner, as Hugging Face writes it: its own name finds it.
    '/models/:owner/:name': model,
    '/hardware': listed({ hardware: chipsOf(catalogue) }),
    '/hardware/:name': entry('chip', (name) => knownChip(catalogue, name), nearestChips, catalogue),
    '/stacks': listed({ stacks: stacksOf(catalogue) }),
    '/stacks/:name': entry('stack', (name) => knownStack(catalogue, name), nearestStacks, catalogue),
  }
}

function listed(answer: unknown): RequestHandler {
  return (_request, response) => {
    response.json(answer)
  }
}

function entry(
  what: string,
  named: (name: string) => unknown,
  nearest: (catalogue: Catalogue, name: string) => readonly string[],
  catalogue: Catalogue,
): RequestHandler {
  return ({ params }, response) => {
    const name = String(params.name)
    const found = named(name)
    if (!found) throw unknownPath(what, name, nearest(catalogue, name))
    response.json(found)
  }
}

function modelNamed(catalogue: Catalogue, name: string) {
  const known = knownModel(catalogue, name)
  return known && countedModel(known)
}
