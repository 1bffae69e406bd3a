/** Logs one line per request: id, method, path, status, time; no headers, query or body. Overload and deadlines are warnings. */
import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { pinoHttp } from 'pino-http'

export function requestLog(logger: Logger): RequestHandler {
  return pinoHttp({
    logger,
    genReqId: (_request, response) => String(response.getHeader('x-request-id')),
    serializers: {
      req: ({ id, method, url }: { id: string; method: string; url: string }) => ({
        id,
        method: METHODS.includes(method) ? method : '-',
        path: url.split('?', 1)[0],
      }),
      res: ({ statusCode }: { statusCode: number }) => ({ status: statusCode }),
    },
    customLogLevel: (_request: IncomingMessage, response: ServerResponse, error?: Error) => {
      if (error || response.statusCode === 500) return 'error'
      return response.statusCode >= 400 ? 'warn' : 'info'
    },
    // The library's error only repeats the status, with a stack of the logger itself.
    customErrorObject: (_request, { statusCode }, _error, { err, ...logged }) =>
      statusCode >= 500 ? logged : { err, ...logged },
  })
}
