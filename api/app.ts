/**
 * The HTTP edge as an Express app that does not listen by itself; everything it needs is passed in.
 *
 * In order: id and log, headers, the probes, then for all other routes draining and the rate limit; the documents,
 * which anybody may read; and behind the key, if keys are required, the catalogue and everything that computes. A path
 * that exists answers other methods with 405, one that does not with 404; all errors become problem documents.
 */
import express, { type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import type { Dependencies } from './dependencies.ts'
import { acceptable } from './http/acceptable.ts'
import { authorized } from './http/authorized.ts'
import { compressed } from './http/compressed.ts'
import { finite } from './http/finite.ts'
import { jsonBody } from './http/json-body.ts'
import { limitedRate } from './http/limited-rate.ts'
import { methodNotAllowed } from './http/method-not-allowed.ts'
import { problemResponses } from './http/problem-response.ts'
import { knownQuery, type Parameters } from './http/query.ts'
import { requestId } from './http/request-id.ts'
import { requestLog } from './http/request-log.ts'
import { fieldsQuery, tellingTypes } from './http/telling.ts'
import { openApiDocument } from './openapi/document.ts'
import { ProblemError } from './problems.ts'
import { draining } from './queue/deadline.ts'
import { reports } from './report/reports.ts'
import { catalogueRoutes } from './routes/catalogue.ts'
import { docsFileRoute, docsRoute } from './routes/docs.ts'
import { healthRoute, readyRoute } from './routes/health.ts'
import { indexRoute } from './routes/index-page.ts'
import { metricsRoute } from './routes/metrics.ts'
import { openApiJsonRoute, openApiYamlRoute } from './routes/openapi.ts'
import { problemRoute } from './routes/problems.ts'
import { searchRoute } from './routes/search-route.ts'
import { validateQuery, validateRoute } from './routes/validate.ts'

export function createApp(dependencies: Dependencies): Express {
  const { catalogue, lifecycle, log, metrics } = dependencies
  const document = openApiDocument(dependencies.examples)

  const app = express()
  app.disable('x-powered-by')
  app.set('json replacer', finite)
  app.set('query parser', false)
  app.set('trust proxy', dependencies.trustProxy)

  const withKey = authorized(dependencies.apiKeys)
  const get = (path: string, ...handlers: readonly RequestHandler[]) =>
    app
      .route(path)
      .get(knownQuery({}), ...handlers)
      .all(methodNotAllowed('GET'))
  const getNamed = (path: string, handler: RequestHandler<never>) => get(path, handler as RequestHandler)
  const getJson = (path: string, handler: RequestHandler<never>) =>
    get(path, acceptable(['application/json']), handler as RequestHandler)
  const post = (
    path: string,
    handler: RequestHandler,
    query: Parameters = {},
    types: readonly string[] = tellingTypes,
  ) =>
    app
      .route(path)
      .post(knownQuery(query), acceptable(types), ...jsonBody, handler)
      .all(methodNotAllowed('POST'))

  app.use(requestId, requestLog(log), metrics.observe, securityHeaders, compressed)
  app.use((_request, response, next) => {
    response.once('close', lifecycle.enter())
    next()
  })
  get('/healthz', healthRoute)
  get('/readyz', readyRoute(lifecycle))
  if (dependencies.metricsHere) get('/metrics', withKey, metricsRoute(metrics))

  app.use((_request, _response, next) => next(lifecycle.draining() ? draining() : undefined))
  app.use(limitedRate(dependencies.requestsPerMinute))
  get('/openapi.json', openApiJsonRoute(document))
  get('/openapi.yaml', openApiYamlRoute(document))
  get('/', indexRoute)
  get('/docs', docsRoute)
  getNamed('/docs/:file', docsFileRoute)
  getNamed('/problems/:slug', problemRoute)

  app.use(withKey)
  post('/optimize', searchRoute(dependencies, 'optimize'), fieldsQuery)
  post('/evaluate', searchRoute(dependencies, 'evaluate'), fieldsQuery)
  post('/validate', validateRoute(dependencies), validateQuery, Object.keys(reports))
  post('/calibrate', searchRoute(dependencies, 'calibrate'))
  post('/compare', searchRoute(dependencies, 'compare'), fieldsQuery)
  post('/collectives', searchRoute(dependencies, 'collective'))
  for (const [path, route] of Object.entries(catalogueRoutes(catalogue))) getJson(path, route)

  app.use(() => {
    throw new ProblemError('not-found', 'No such route. GET / and /docs list them.')
  })
  app.use(problemResponses(log))
  return app
}

/** Set for the docs page: its own scripts and styles, inline styles, nothing from elsewhere. TLS is up to the proxy. */
const securityHeaders = helmet({
  strictTransportSecurity: false,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
})
