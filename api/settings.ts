/** Environment variables, with their bounds and defaults. */
import { z } from 'zod'

/** Digits only: an empty variable is a mistake, not a zero. */
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

/** Includes Express's names for private networks. */
const network = z.union([
  z.enum(['loopback', 'linklocal', 'uniquelocal']),
  z.ipv4(),
  z.ipv6(),
  z.cidrv4(),
  z.cidrv6(),
])

/** Characters that a header may contain (RFC 6750, `b64token`), and long enough not to be guessed. */
const apiKey = z.string().regex(/^[\w.~+/-]{16,256}=*$/, 'has to be 16 to 256 letters, digits or -._~+/')

const environment = z.object({
  PORT: whole(0, 65_535).prefault('8080'),
  HOST: z.string().min(1).default('127.0.0.1'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Worker threads that search. */
  THREADS: whole(1, 256).prefault('2'),
  /** Further threads, for requests that are likely to take less than a quarter of a second. */
  LIGHT_THREADS: whole(0, 256).prefault('1'),
  /** The most idle threads that may work on one answer; 1 for a single thread per request. */
  THREADS_PER_SEARCH: whole(1, 256).prefault('1'),
  /** Requests that may wait for a thread; more get a 503. */
  MAX_QUEUE: whole(0, 10_000).prefault('32'),
  /** Limit of waiting requests for one client: a key, or an address if no keys are required. */
  MAX_QUEUE_PER_CLIENT: whole(0, 10_000).prefault('16'),
  /** Heap of a worker, which is ended if it needs more. */
  WORKER_MEMORY_MB: whole(64, 65_536).prefault('2048'),
  /** `once`: each thread searches a small problem before the service is ready; `idle`: then also one of each kind while nobody asks. */
  WARM_UP: z.enum(['once', 'idle']).default('idle'),
  /** Memory for recent answers, which are sent again at once; 0 to search every time. */
  KEPT_ANSWERS_MB: whole(0, 65_536).prefault('64'),
  /** Requests per minute from one address; 0 for no limit. */
  RATE_LIMIT_PER_MINUTE: whole(0, 1_000_000).prefault('600'),
  /** Proxies whose X-Forwarded-For is believed: how many are in front, or their addresses and networks. */
  TRUST_PROXY: z
    .union([whole(0, 10), listOf(network)], 'neither 0 to 10 nor a list of networks')
    .prefault('0'),
  /** Keys, one of which is required for plans and the catalogue; none is required if the list is empty. */
  API_KEYS: listOf(apiKey).default([]),
  /** Where /metrics is served: on PORT with the rest, nowhere, or on a port of its own at HOST. */
  METRICS_PORT: z
    .union([z.enum(['same', 'off']), whole(0, 65_535)], 'neither same, off nor a port')
    .default('same'),
  /** Time for a client to send its headers, and its whole request. */
  HEADERS_TIMEOUT_SECONDS: whole(1, 3600).prefault('10'),
  REQUEST_TIMEOUT_SECONDS: whole(1, 3600).prefault('20'),
  /** How long a client may take nothing of its answer. */
  UNREAD_TIMEOUT_SECONDS: whole(1, 3600).prefault('30'),
  /** How long a connection stays open between requests; should be longer than in a proxy in front. */
  KEEP_ALIVE_SECONDS: whole(1, 3600).prefault('75'),
  /** How long a shutdown waits for requests in progress. */
  DRAIN_SECONDS: whole(0, 3600).prefault('30'),
})

export type Settings = z.output<typeof environment>

export function settingsFrom(variables: Readonly<Record<string, string | undefined>>): Settings {
  const result = environment.safeParse(variables)
  if (result.success) return result.data
  const faults = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new Error(`Some environment variables are wrong. ${faults.join('; ')}`)
}
