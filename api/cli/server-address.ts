/**
 * Where a service is, and what it is asked with. A name and password in the address are sent as basic authentication; fetch refuses an address
 * that has them, and what is told of the service, in reports as well, is told without them.
 */
import { UsageError } from './usage-error.ts'

export interface ServerAddress {
  /** Without name and password; with the path under which a proxy has the service, and no slash at its end. */
  readonly origin: string
  readonly authorization: string | null
}

/** Nothing that is refused is repeated, as there may be a password in it. */
export function serverAddress(server: string, key: string | undefined): ServerAddress {
  const url = URL.canParse(server) ? new URL(server) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError('--server is no address of a service: it begins with http:// or https://')
  const { username, password } = url
  const isNamed = username !== '' || password !== ''
  if (isNamed && key)
    throw new UsageError(
      '--server has a name or password in its address, and SHARDPLAN_API_KEY is set: a request takes one of them',
    )
  url.username = ''
  url.password = ''
  url.search = ''
  url.hash = ''
  const basic = isNamed ? `Basic ${encoded(decoded(username), decoded(password))}` : null
  return { origin: url.href.replace(/\/+$/, ''), authorization: key ? `Bearer ${key}` : basic }
}

function encoded(name: string, password: string): string {
  return Buffer.from(`${name}:${password}`).toString('base64')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
