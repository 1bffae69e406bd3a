/** Asks a service elsewhere; its problems are thrown as if they were our own. */
import { ProblemError, type ProblemSlug, problems } from '../problems.ts'
import type { ProblemDocument } from '../schemas/problem.ts'
import { type Asker, askerOf } from './asker.ts'
import { type Begin, whileTelling } from './progress.ts'
import { serverAddress } from './server-address.ts'

export function byServer(server: string, key: string | undefined, begin: Begin): Asker {
  const { origin, authorization } = serverAddress(server, key)
  async function post<Answer>(path: string, body: unknown): Promise<Answer> {
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(authorization === null ? {} : { authorization }),
      },
      body: JSON.stringify(body),
    }).catch((error: unknown) => {
      throw unreachable(origin, error)
    })
    const answer: unknown = await response.json().catch(() => null)
    if (response.ok && answer !== null) return answer as Answer
    throw problemOf(origin, response.status, answer)
  }
  return askerOf((task) => (body) => whileTelling(begin, () => post(`/${task}`, body)))
}

function unreachable(origin: string, error: unknown): ProblemError {
  const { message, cause } = error as Error
  const why =
    cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message
  return new ProblemError('unavailable', `${origin} does not answer: ${why}`)
}

function problemOf(origin: string, status: number, answer: unknown): ProblemError {
  const { type, detail, errors = [] } = (answer ?? {}) as Partial<ProblemDocument>
  const slug = type?.split('/').at(-1) ?? ''
  if (!Object.hasOwn(problems, slug)) {
    return new ProblemError('unavailable', `${origin} answers ${status}, and not as shardplan does`)
  }
  return new ProblemError(slug as ProblemSlug, detail ?? slug, errors)
}
