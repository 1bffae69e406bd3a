/** The HTTP server around the app: who sends too slowly is answered 408 and goes, so that half a request holds no memory for long. */
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'

export interface ServerLimits {
  /** For all headers of a request. */
  readonly headersMs: number
  /** For the whole of it, body and all. */
  readonly requestMs: number
}

export function createServer(app: RequestListener, { headersMs, requestMs }: ServerLimits): Server {
  return createHttpServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      // Node looks for who is late only so often.
      connectionsCheckingInterval: Math.min(1000, headersMs),
    },
    app,
  )
}
