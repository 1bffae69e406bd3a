/** What the environment may set, with its bounds and defaults. */
import { z } from 'zod'

/** Digits alone: an empty variable is a mistake in a file of them, not a nought. */
const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'expected a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most))

const environment = z.object({
  PORT: whole(0, 65_535).prefault('8080'),
  HOST: z.string().min(1).default('127.0.0.1'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Worker threads that search. */
  THREADS: whole(1, 256).prefault('2'),
  /** Requests that may wait for one; more are answered with a 503. */
  MAX_QUEUE: whole(0, 10_000).prefault('32'),
  /** Heap of a worker, which is ended when it needs more. */
  WORKER_MEMORY_MB: whole(64, 65_536).prefault('1024'),
  /** Requests a minute from one address; 0 for no limit. */
  RATE_LIMIT_PER_MINUTE: whole(0, 1_000_000).prefault('600'),
  /** Proxies in front, whose X-Forwarded-For is believed. */
  TRUST_PROXY: whole(0, 10).prefault('0'),
  /** For a client to send its headers, and the whole of its request. */
  HEADERS_TIMEOUT_SECONDS: whole(1, 3600).prefault('10'),
  REQUEST_TIMEOUT_SECONDS: whole(1, 3600).prefault('20'),
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
