/**
 * The HTTP server around the app. A client that sends too slowly gets 408 and is disconnected, and so is one that no
 * longer takes its answer: neither half a request nor half an answer should hold memory for long.
 */
import {
  createServer as createHttpServer,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { refuseUnreadable } from './unreadable.ts'

export interface ServerLimits {
  /** Limit for all headers of a request. */
  readonly headersMs: number
  /** How long a connection stays open between requests. */
  readonly keepAliveMs: number
  /** Limit for the whole request, including its body. */
  readonly requestMs: number
  /** How long a client may take nothing of an answer that waits for it. */
  readonly unreadMs: number
}

export function createServer(
  app: RequestListener,
  { headersMs, keepAliveMs, requestMs, unreadMs }: ServerLimits,
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
    (request, response) => {
      endUnread(response, unreadMs)
      app(request, response)
    },
  ).on('clientError', refuseUnreadable)
}

/** Looks whenever nothing has moved on the connection for so long, as is usual while a search runs. */
function endUnread(response: ServerResponse, unreadMs: number): void {
  response.setTimeout(unreadMs, () => {
    const { socket } = response
    if (socket && socket.writableLength > 0) socket.destroy()
    else socket?.setTimeout(unreadMs)
  })
}
