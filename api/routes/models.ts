/** GET /models and /models/{name}: the models that are known by name. */
import type { RequestHandler } from 'express'
import { type Catalogue, type KnownModel, knownModel, nearestModels } from '../catalogue.ts'
import { unknownPath } from '../hints/unknown-name.ts'

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
    if (!known) throw unknownPath('model', name, nearestModels(catalogue, name))
    response.json(entry(known))
  }
}

function entry({ record, parameters: { total, active } }: KnownModel) {
  return { ...record, parameters: total, activeParameters: active }
}
