/** Other bytes of caches for a server that is told too few of them for a sequence, or more than its chips have room for. */
import type { Suggestion } from '../plan/answer.ts'
import type { Plan } from '../plan/plan.ts'
import type { CacheShare } from '../plan-sketch.ts'
import type { Asked } from './remedied.ts'

const gibibyte = 2 ** 30
const usual = [1, 2, 4, 8, 16, 32, 64, 128] as const

/** The usual number that is nearest to what is said and fits. */
export function otherCaches<
  Problem,
  Sketch extends { readonly cacheShare?: CacheShare },
  Own extends Pick<Plan, 'infeasible'>,
>(
  { problem, sketch, fitting }: Asked<Problem, Sketch, Own>,
  { infeasible = [] }: Own,
  sequences: (plan: Own) => number,
): Suggestion | null {
  const { bytes, ...kept } = sketch.cacheShare ?? {}
  if (bytes === undefined || !infeasible.some(({ reason }) => reason === 'memory')) return null
  const away = (count: number) => Math.abs(Math.log((count * gibibyte) / Math.max(1, bytes)))
  for (const count of [...usual].sort((a, b) => away(a) - away(b))) {
    const own = { bytes: count * gibibyte, ...kept }
    const plan = fitting(problem, { ...sketch, cacheShare: own })
    if (!plan) continue
    const detail = `a server has room for ${sequences(plan)} sequences`
    return { change: `${count} GiB of caches on each chip`, pointer: '/plan/cacheShare', value: own, detail }
  }
  return null
}
