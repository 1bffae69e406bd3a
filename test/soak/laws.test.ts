import { beforeAll, describe, expect, it } from 'vitest'
import type { Answered } from '../contract/documented.ts'
import { planning } from '../http/planning.ts'
import { question, service } from '../http/service.ts'
import { broken } from './laws.ts'
import type { Sent } from './requests.ts'

const value = {
  ...question,
  constraints: { tensor: 8, pipeline: 1, context: 1, expert: 1, tensor2: 1 },
  distinct: 'mesh',
  top: 2,
}
const sent: Sent = { kind: 'valid', method: 'POST', path: '/optimize', headers: {}, body: '', value }

describe('the laws of the soak', () => {
  let answer: Answered
  beforeAll(async () => {
    const { status, headers, body } = await service({ search: planning }).post('/optimize').send(value)
    answer = { status, headers, body }
  })

  /** The answer with one value of it made something else. */
  const changed = (path: string, change: (value: number) => unknown): Answered => {
    const body = structuredClone(answer.body) as Record<string, unknown>
    const keys = path.split('/')
    const last = keys.pop() ?? ''
    const place = keys.reduce((inner, key) => inner[key] as Record<string, unknown>, body)
    place[last] = change(Number(place[last]))
    return { ...answer, body }
  }

  it('hold of an answer', () => {
    expect(broken(sent, answer)).toEqual([])
  })

  it.each([
    ['search/evaluated', (count: number) => count + 1, 'accounted for'],
    ['plans/0/stepTimeSeconds', (time: number) => 0.9 * time, 'add up to the step'],
    ['plans/0/timeSeconds/compute', (time: number) => 1.1 * time, 'add up to the step'],
    ['plans/1/memoryBytes/activations', (bytes: number) => 1.1 * bytes, 'memory does not add up'],
    ['plans/0/memoryBytes/budget', () => 1, 'more memory than the budget'],
    ['plans/0/lowerBoundSeconds', () => 1e6, 'out of its bounds'],
    ['plans/1/rank', () => 1, 'rank 1 is number 2'],
    ['plans/0/mfu', () => 'high', 'must be number'],
    ['unheard', () => 1, 'must NOT have additional properties'],
  ] as const)('see that %s is wrong', (path, change, said) => {
    expect(broken(sent, changed(path, change)).join('; ')).toContain(said)
  })

  it('see a status, an id or a Retry-After that is not as it has to be', () => {
    expect(broken(sent, { ...answer, status: 500 })).toContain('status 500')
    expect(broken(sent, { ...answer, headers: { 'content-type': 'application/json' } })).toContain(
      'no x-request-id',
    )
    const problem = {
      ...answer,
      status: 503,
      headers: { ...answer.headers, 'content-type': 'application/problem+json' },
    }
    expect(broken(sent, problem)).toContain('no Retry-After')
  })
})
