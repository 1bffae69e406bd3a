/** The HTTP server around the app: who sends too slowly is answered 408 and goes, so that half a request holds no memory for long. */
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'

export interface ServerLimits {
  /** For all headers of a request. */
  readonly headersMs: number
  /** How long a connection stays open between requests. */
  readonly keepAliveMs: number
  /** For the whole of it, body and all. */
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
      // Who closes first must be the client or its proxy: a request on a connection that the server closes at that moment is lost.
      keepAliveTimeout: keepAliveMs,
      // Node looks for who is late only so often.
      connectionsCheckingInterval: Math.min(1000, headersMs),
    },
    app,
  )
}
