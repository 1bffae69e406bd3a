/**
 * Asks an app as a client would, on a server of its own that nobody else reaches: what lies between a client and a search, from the parser of
 * requests to compression, has then run some times, as the searches have.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'

const host = '127.0.0.1'

/** Rejects when the signal fires, and where the app does not answer; then nobody waits for an answer any more. */
export async function askAsClient(
  app: RequestListener,
  path: string,
  bodies: readonly unknown[],
  signal: AbortSignal,
): Promise<void> {
  const server = createServer(app).listen(0, host)
  try {
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    for (const body of bodies) await post(port, path, JSON.stringify(body), signal)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

async function post(port: number, path: string, body: string, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/json', 'accept-encoding': 'gzip' }
  const sent = request({ host, port, path, method: 'POST', headers, signal }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
}
