/** GET /: redirects browsers to the docs, and lists the routes for programs. */
import type { RequestHandler } from 'express'

export const indexRoute: RequestHandler = (request, response) => {
  response.vary('accept')
  if (request.accepts(['json', 'html']) === 'html') {
    response.redirect('/docs')
    return
  }
  response.json({
    name: 'shardplan',
    docs: '/docs',
    openapi: ['/openapi.json', '/openapi.yaml'],
    routes: [
      'POST /optimize',
      'POST /evaluate',
      'POST /validate',
      'POST /calibrate',
      'POST /compare',
      'POST /collectives',
      'GET /models',
      'GET /models/{name}',
      'GET /hardware',
      'GET /hardware/{name}',
      'GET /stacks',
      'GET /stacks/{name}',
    ],
  })
}
