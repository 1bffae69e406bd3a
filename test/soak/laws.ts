/** Laws that hold for every answer, whatever was asked; reports those that do not. */
import { type Answered, faultsByDocument } from '../contract/documented.ts'
import type { Sent } from './requests.ts'

const statuses = [200, 302, 400, 401, 404, 405, 406, 408, 412, 413, 415, 422, 429, 503, 504]

type Json = Readonly<Record<string, unknown>>

export function broken(sent: Sent, answer: Answered): readonly string[] {
  const { status, headers, body } = answer
  const route = sent.path.split('?', 1)[0] ?? ''
  const said: string[] = []
  if (!statuses.includes(status)) said.push(`status ${status}`)
  if (typeof headers['x-request-id'] !== 'string') said.push('no x-request-id')
  if (status >= 400) said.push(...brokenProblem(answer))
  if (sent.method === 'POST') said.push(...faultsByDocument('post', route, answer))
  if (sent.kind === 'valid' && [400, 404, 405, 413, 415].includes(status))
    said.push('a valid request is refused')
  if (status === 200 && sent.method === 'POST') said.push(...brokenAnswer(body as Json, headers))
  return said
}

function brokenProblem({ status, headers, body }: Answered): readonly string[] {
  if (!String(headers['content-type']).startsWith('application/problem+json'))
    return ['a problem without its type']
  const { status: told, errors, instance } = body as Json
  const points = status === 400 || status === 422
  return [
    ...(told === status ? [] : ['another status in the problem']),
    ...(instance === headers['x-request-id'] ? [] : ['another id in the problem']),
    ...(points && status === 422 && !(Array.isArray(errors) && errors.length > 0) && !pointless(body as Json)
      ? ['nothing is pointed at']
      : []),
    ...([429, 503].includes(status) && !(Number(headers['retry-after']) > 0) ? ['no Retry-After'] : []),
  ]
}

/** What is wrong with all of a request, and with no value of it. */
function pointless({ type }: Json): boolean {
  return type === '/problems/search-too-large'
}

function brokenAnswer(body: Json, headers: Answered['headers']): readonly string[] {
  const said: string[] = []
  walk(body, '', (value, at) => {
    if (typeof value === 'number' && !Number.isFinite(value)) said.push(`${at} is ${value}`)
  })
  const search = body.search as Json | undefined
  if (search) {
    said.push(...brokenSearch(search))
    if (search.exact === false && headers['cache-control'] !== 'no-store') said.push('a part may be stored')
    // A validation has the best plan alone.
    const { plans = [] } = body as { readonly plans?: readonly Json[] }
    if (body.plans && plans.length === 0 && !reasonsOf(body).length && search.exact === true)
      said.push('no plan and no reason')
    plans.forEach((plan, index) => {
      if (plan.rank !== index + 1) said.push(`rank ${plan.rank} is number ${index + 1}`)
    })
  }
  for (const plan of [...((body.plans ?? []) as readonly Json[]), body.plan as Json | undefined]) {
    if (plan) said.push(...brokenPlan(plan, String(body.mode)))
  }
  return said
}

function reasonsOf(body: Json): readonly unknown[] {
  const infeasible = body.infeasible as Json | null | undefined
  return (infeasible?.reasons ?? []) as readonly unknown[]
}

function brokenSearch(search: Json): readonly string[] {
  const { enumerated, pruned, evaluated, infeasible, unexamined } = search
  const all = sum([pruned, evaluated, unexamined, ...Object.values(infeasible as Json)])
  return all === enumerated ? [] : [`of ${enumerated} layouts ${all} are accounted for`]
}

function brokenPlan(plan: Json, mode: string): readonly string[] {
  const said: string[] = []
  const { stepTimeSeconds, lowerBoundSeconds, upperBoundSeconds, memoryBytes } = plan
  if (ordered(lowerBoundSeconds, stepTimeSeconds, upperBoundSeconds) === false)
    said.push('a step out of its bounds')
  if (mode === 'train') {
    const { communication: _, ...parts } = plan.timeSeconds as Json
    if (!near(sum(Object.values(parts)), Number(stepTimeSeconds)))
      said.push('the times do not add up to the step')
  }
  if (memoryBytes) {
    const { budget, total, stage: _stage, host: _host, ...parts } = memoryBytes as Json
    if (!near(sum(Object.values(parts)), Number(total))) said.push('the memory does not add up')
    // Layers in real numbers fill the budget to the last bit, give or take its rounding.
    if (plan.feasible === true && Number(total) > Number(budget) * (1 + 1e-12))
      said.push('more memory than the budget')
  }
  return said
}

function ordered(...values: readonly unknown[]): boolean | undefined {
  const numbers = values.map(Number)
  if (values.some((value) => typeof value !== 'number')) return undefined
  return numbers.every((value, index) => index === 0 || value >= (numbers[index - 1] ?? 0) * (1 - 1e-9))
}

const sum = (values: readonly unknown[]) => values.reduce<number>((all, value) => all + Number(value), 0)

/** Answers have four digits or so of what does not have to be exact. */
const near = (one: number, other: number) => Math.abs(one - other) <= 2e-3 * Math.max(one, other, 1e-9)

function walk(value: unknown, at: string, visit: (value: unknown, at: string) => void): void {
  visit(value, at)
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) walk(inner, `${at}/${key}`, visit)
}
