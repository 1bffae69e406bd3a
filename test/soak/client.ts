/** Sends a request and reads the whole answer. A connection that is cut, or an answer that does not arrive, is reported as such. */
import type { Answered } from '../contract/documented.ts'
import type { Sent } from './requests.ts'

export interface Heard extends Answered {
  readonly tookMs: number
}

/** Far beyond any deadline, on however slow a machine: what is not answered by then hangs. */
const hungMs = 120_000

export async function send(origin: string, sent: Sent, key: string): Promise<Heard | string> {
  const began = performance.now()
  try {
    const response = await fetch(`${origin}${sent.path}`, {
      method: sent.method,
      headers: { ...sent.headers, authorization: `Bearer ${key}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(hungMs),
      ...(sent.body === undefined ? {} : { body: sent.body }),
    })
    const text = await response.text()
    const headers = Object.fromEntries(response.headers)
    const body: unknown = /json/.test(String(headers['content-type'])) ? JSON.parse(text) : text
    return { status: response.status, headers, body, tookMs: performance.now() - began }
  } catch (error) {
    const { name, message, cause } = error as Error
    return `${name}: ${message}${cause instanceof Error ? ` (${cause.message})` : ''}`
  }
}
