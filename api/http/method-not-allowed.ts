/** The last handler of a path: rejects other methods with 405 and `Allow`, and answers OPTIONS. */
import type { RequestHandler } from 'express'
import { ProblemError } from '../problems.ts'

export function methodNotAllowed(...methods: readonly string[]): RequestHandler {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  return (request, response) => {
    if (request.method === 'OPTIONS') {
      response.set('allow', allow).status(204).end()
      return
    }
    throw new ProblemError('method-not-allowed', `This path supports ${allow}.`, [], { allow })
  }
}
