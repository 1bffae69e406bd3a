/** The built service as a separate process, on a free port, with keys for clients of several kinds. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as elapsed } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const keys = {
  fuzz: 'soak-fuzz-0123456789',
  heavy: 'soak-heavy-0123456789',
  light: 'soak-light-0123456789',
} as const

export interface Service {
  readonly origin: string
  /** Resolves when it says that it is ready. */
  readonly ready: () => Promise<void>
  readonly process: ChildProcess
  /** With the code or the signal that it ended with. */
  readonly ended: Promise<unknown>
  /** Errors that it logged. */
  readonly errors: readonly string[]
}

const main = fileURLToPath(new URL('../../dist/api/main.js', import.meta.url))

export async function startService(variables: Readonly<Record<string, string>> = {}): Promise<Service> {
  const child = spawn(process.execPath, ['--max-semi-space-size=4', main], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      // As it is started by `npm start`.
      MALLOC_ARENA_MAX: '2',
      LOG_LEVEL: 'error',
      RATE_LIMIT_PER_MINUTE: '0',
      API_KEYS: Object.values(keys).join(','),
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
  const errors: string[] = []
  const origin = await new Promise<string>((resolve, reject) => {
    void ended.then((how) => reject(new Error(`The service ended with ${how} before it listened`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, found] = /^curl -s (http:\/\/[\d.]+:\d+)/.exec(line) ?? []
      if (found) resolve(found)
      else errors.push(line)
    })
  })
  const ready = async () => {
    while ((await fetch(`${origin}/readyz`)).status !== 200) await elapsed(50)
  }
  return { origin, ready, process: child, ended, errors }
}
