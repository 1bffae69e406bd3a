/** An app is asked as a client asks, and by nobody else. */
import type { IncomingMessage, RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { askAsClient } from '../../api/http/own-requests.ts'

const never = new AbortController().signal

it('gets each body in a request of its own, one after another, and then no more', async () => {
  const seen: unknown[] = []
  let inside = 0
  let port: number | undefined
  const app: RequestListener = async (request: IncomingMessage, response) => {
    port = request.socket.localPort
    expect(++inside).toBe(1)
    const { method, url, headers } = request
    seen.push({ method, url, type: headers['content-type'], body: JSON.parse(await text(request)) })
    response.end('x'.repeat(100_000), () => inside--)
  }
  await askAsClient(app, '/optimize', [{ top: 1 }, { top: 2 }], never)
  const asked = { method: 'POST', url: '/optimize', type: 'application/json' }
  expect(seen).toEqual([
    { ...asked, body: { top: 1 } },
    { ...asked, body: { top: 2 } },
  ])
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
})

it('says where an app does not answer', async () => {
  const app: RequestListener = (request) => request.socket.destroy()
  await expect(askAsClient(app, '/optimize', [{}], never)).rejects.toThrow()
})

it('is left alone when it is told to stop', async () => {
  const stop = new AbortController()
  let left = () => {}
  const closed = new Promise<void>((resolve) => {
    left = resolve
  })
  const app: RequestListener = (request) => {
    request.socket.once('close', left)
    stop.abort()
  }
  await expect(askAsClient(app, '/optimize', [{}, {}], stop.signal)).rejects.toThrow()
  await closed
})
