/**
 * The HTTP server around the app. A client that sends too slowly gets 408 and is disconnected, so that half a request
 * does not hold memory for long.
 */
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'

export interface ServerLimits {
  /** Limit for all headers of a request. */
  readonly headersMs: number
  /** How long a connection stays open between requests. */
  readonly keepAliveMs: number
  /** Limit for the whole request, including its body. */
  readonly requestMs: number
}

export function createServer(
  app: RequestListener,
  { headersMs, keepAliveMs, requestMs }: ServerLimits,
): Server {
  return createHttpServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      // The client or its proxy should be the first to close: a request sent on a connection just as the server closes
      // it is lost.
      keepAliveTimeout: keepAliveMs,
      // Node tests for late clients only at this interval.
      connectionsCheckingInterval: Math.min(1000, headersMs),
    },
    app,
  )
}
