/** GET /openapi.json and /openapi.yaml: the contract, made from the schemas that requests are validated with. */
import type { RequestHandler } from 'express'
import type { OpenApiDocument } from '../openapi/document.ts'
import { openApiYaml } from '../openapi/yaml.ts'

export function openApiJsonRoute(document: OpenApiDocument): RequestHandler {
  return (_request, response) => {
    response.json(document)
  }
}

export function openApiYamlRoute(document: OpenApiDocument): RequestHandler {
  const text = openApiYaml(document)
  return (_request, response) => {
    response.type('application/yaml').send(text)
  }
}
