/** GET /models and /models/{name}: the models that are known by name. */
import type { RequestHandler } from 'express'
import { type Catalogue, type KnownModel, knownModel, nearestModels } from '../catalogue.ts'
import { ProblemError } from '../problems.ts'

export function modelsRoute({ models }: Catalogue): RequestHandler {
  const answer = {
    models: [...models.values()].map(({ record: { name, architecture }, parameters: { total, active } }) => {
      return { name, parameters: total, activeParameters: active, architecture }
    }),
  }
  return (_request, response) => {
    response.json(answer)
  }
}

export function modelRoute(catalogue: Catalogue): RequestHandler<{ name: string }> {
  return ({ params: { name } }, response) => {
    const known = knownModel(catalogue, name)
    if (!known) throw unknown(name, catalogue)
    response.json(entry(known))
  }
}

function entry({ record, parameters: { total, active } }: KnownModel) {
  return { ...record, parameters: total, activeParameters: active }
}

function unknown(name: string, catalogue: Catalogue): ProblemError {
  const suggestions = nearestModels(catalogue, name)
  const hint = suggestions.length ? `; the nearest are ${suggestions.join(', ')}` : ''
  return new ProblemError('not-found', `No model is named ${name.slice(0, 100)}${hint}.`)
}
