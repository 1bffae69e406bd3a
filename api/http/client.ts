/** Who asks: the key that a request brought, or else its address; of IPv6 the network that one customer commonly has whole. */
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

/** Behind proxies that are trusted, the address that they tell. */
function addressOf({ ip }: Request): string {
  return ip === undefined ? 'nobody' : ipKeyGenerator(ip, customerPrefix)
}
