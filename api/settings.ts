/** What the environment may set, with its bounds and defaults. */
import { z } from 'zod'

/** Digits alone: an empty variable is a mistake in a file of them, not a nought. */
const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'expected a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most))

const listOf = <T extends z.ZodType<string, string>>(item: T) =>
  z
    .string()
    .transform((list) => list.split(',').map((each) => each.trim()))
    .pipe(z.array(item).min(1))

/** Also by the names that Express has for networks that no router leads out of. */
const network = z.union([
  z.enum(['loopback', 'linklocal', 'uniquelocal']),
  z.ipv4(),
  z.ipv6(),
  z.cidrv4(),
  z.cidrv6(),
])

/** What a header can carry (RFC 6750, `b64token`), and nobody guesses. */
const apiKey = z.string().regex(/^[\w.~+/-]{16,256}=*$/, 'has to be 16 to 256 letters, digits or -._~+/')

const environment = z.object({
  PORT: whole(0, 65_535).prefault('8080'),
  HOST: z.string().min(1).default('127.0.0.1'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Worker threads that search. */
  THREADS: whole(1, 256).prefault('2'),
  /** Of those that nobody else needs, as many as may work on one answer: 1 for each request a thread of its own. */
  THREADS_PER_SEARCH: whole(1, 256).prefault('1'),
  /** Requests that may wait for one; more are answered with a 503. */
  MAX_QUEUE: whole(0, 10_000).prefault('32'),
  /** Of them, of one client: one key, or where none is asked for one address. */
  MAX_QUEUE_PER_CLIENT: whole(0, 10_000).prefault('16'),
  /** Heap of a worker, which is ended when it needs more. */
  WORKER_MEMORY_MB: whole(64, 65_536).prefault('1024'),
  /** Threads search one small problem before the service is ready; and others, of each kind, while nobody asks. */
  WARM_UP: z.enum(['once', 'idle']).default('idle'),
  /** Memory for answers, so that what was asked lately is answered at once; 0 to search again for each. */
  KEPT_ANSWERS_MB: whole(0, 65_536).prefault('64'),
  /** Requests a minute from one address; 0 for no limit. */
  RATE_LIMIT_PER_MINUTE: whole(0, 1_000_000).prefault('600'),
  /** Whose X-Forwarded-For is believed: so many proxies in front, or the proxies of these addresses and networks. */
  TRUST_PROXY: z
    .union([whole(0, 10), listOf(network)], 'neither 0 to 10 nor a list of networks')
    .prefault('0'),
  /** Of which a request for plans or the catalogue has to bring one; none is asked for where there are none. */
  API_KEYS: listOf(apiKey).default([]),
  /** Where /metrics is: on PORT with the rest, nowhere, or on a port of its own at HOST. */
  METRICS_PORT: z
    .union([z.enum(['same', 'off']), whole(0, 65_535)], 'neither same, off nor a port')
    .default('same'),
  /** For a client to send its headers, and the whole of its request. */
  HEADERS_TIMEOUT_SECONDS: whole(1, 3600).prefault('10'),
  REQUEST_TIMEOUT_SECONDS: whole(1, 3600).prefault('20'),
  /** How long a connection stays open between requests: longer than a proxy in front keeps it. */
  KEEP_ALIVE_SECONDS: whole(1, 3600).prefault('75'),
  /** How long a shutdown waits for requests that are being answered. */
  DRAIN_SECONDS: whole(0, 3600).prefault('30'),
})

export type Settings = z.output<typeof environment>

export function settingsFrom(variables: Readonly<Record<string, string | undefined>>): Settings {
  const result = environment.safeParse(variables)
  if (result.success) return result.data
  const faults = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new Error(`These environment variables make no sense. ${faults.join('; ')}`)
}
