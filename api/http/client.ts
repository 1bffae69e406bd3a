/** Who asks: the key of a request, or otherwise its address; for IPv6 the network that one customer usually has. */
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
function addressOf({ ip }: Request): string {
  return ip === undefined ? 'nobody' : ipKeyGenerator(ip, customerPrefix)
}
