/** Who asks: the key of a request, or otherwise its address; for IPv6 the network that one customer usually has. */
import { isIP } from 'node:net'
import type { Request, Response } from 'express'
import { ipKeyGenerator } from 'express-rate-limit'

const customerPrefix = 56

export function setClient(response: Response, client: string): void {
  response.locals.client = client
}

export function clientOf(request: Request, response: Response): string {
  const { client } = response.locals
  return typeof client === 'string' ? client : addressOf(request)
}

/** Behind trusted proxies, the address that they report. */
export function addressOf({ ip = 'nobody' }: Request): string {
  const address = withoutPort(ip)
  // What is no address may have any length.
  return isIP(address) ? ipKeyGenerator(address, customerPrefix) : address.slice(0, 64)
}

/** Some proxies report `192.0.2.1:50000` or `[2001:db8::1]:50000`: every connection would be a client of its own. */
function withoutPort(address: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address
}
