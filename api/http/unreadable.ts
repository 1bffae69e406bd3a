/**
 * Answers what is not a request of HTTP, or does not come in time, with a problem document as everything else: such bytes never
 * reach the app, and Node's own answer to them has no body.
 */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ProblemSlug, problems } from '../problems.ts'
import type { ProblemDocument } from '../schemas/problem.ts'

interface Unreadable {
  readonly slug: ProblemSlug
  readonly detail: string
}

/** What Node calls the fault of a connection; any other is of the bytes themselves. */
const unreadable: Readonly<Record<string, Unreadable>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { slug: 'too-slow', detail: 'The request did not come whole in time.' },
  HPE_HEADER_OVERFLOW: { slug: 'headers-too-long', detail: 'The headers are too long.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { slug: 'body-too-large', detail: 'The extensions of chunks are too long.' },
}
const notHttp: Unreadable = { slug: 'not-http', detail: 'What was sent is not a request of HTTP/1.1.' }

/** How long what a client goes on sending is let pass. */
const lingerMs = 1000

/**
 * Nothing is said to a client that has hung up, or amid an answer that has begun. A connection that is closed while bytes still arrive is
 * reset, and its client may never read what it was told: so this half is closed, and the other let pass for a while (RFC 9112, 9.6).
 */
export function refuseUnreadable({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  // Whatever else arrives is no request either.
  if (socket.writableEnded) return
  if (!socket.writable || begun(socket)) {
    socket.destroy()
    return
  }
  socket.end(refusal(code))
  const over = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(over))
}

function refusal(code = ''): string {
  const { slug, detail } = unreadable[code] ?? notHttp
  const { title, status } = problems[slug]
  const instance = randomUUID()
  const document: ProblemDocument = { type: `/problems/${slug}`, title, status, detail, instance }
  const body = JSON.stringify(document)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Cache-Control: no-store',
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${instance}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** Whether an answer has begun on the connection: Node keeps the current one in a field of its socket. */
function begun(
  socket: Duplex & { readonly _httpMessage?: { readonly headersSent: boolean } | null },
): boolean {
  return socket._httpMessage?.headersSent === true
}
