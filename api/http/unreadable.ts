/**
 * Answers what is not a request of HTTP, or does not come in time, with a problem document as everything else: such bytes never
 * reach the app, and Node's own answer to them has no body.
 */
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

interface Unreadable {
  readonly status: number
  readonly detail: string
}

/** What Node calls the fault of a connection; any other is of the bytes themselves. */
const unreadable: Readonly<Record<string, Unreadable>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request did not come whole in time.' },
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The headers are too long.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: 'The extensions of chunks are too long.' },
}
const notHttp: Unreadable = { status: 400, detail: 'What was sent is not a request of HTTP/1.1.' }

/** Nothing is said to a client that has hung up, or amid an answer that has begun. */
export function refuseUnreadable({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (socket.writable && !begun(socket)) socket.write(refusal(code))
  socket.destroy()
}

function refusal(code = ''): string {
  const { status, detail } = unreadable[code] ?? notHttp
  const title = STATUS_CODES[status]
  const body = JSON.stringify({ type: 'about:blank', title, status, detail })
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'Connection: close',
    'Cache-Control: no-store',
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** Whether an answer has begun on the connection: Node keeps the current one in a field of its socket. */
function begun(
  socket: Duplex & { readonly _httpMessage?: { readonly headersSent: boolean } | null },
): boolean {
  return socket._httpMessage?.headersSent === true
}
