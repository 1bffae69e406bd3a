/** More of each chip's memory for a server that is given too little of it for one sequence. */
import { present } from '../fields.ts'
import type { Suggestion } from '../plan/answer.ts'
import type { ServePlan } from '../plan/inference-plan.ts'
import type { ServeSketch } from '../plan-sketch.ts'
import type { ServeProblem } from '../problem.ts'
import type { Asked } from './remedied.ts'

/** Shares that servers are usually given, the smallest first. */
const usual = [0.8, 0.85, 0.9, 0.95] as const

/** The least of the usual shares with which it fits. */
export function largerShare(
  { problem, sketch, fitting }: Asked<ServeProblem, ServeSketch, ServePlan>,
  { infeasible = [] }: ServePlan,
): Suggestion | null {
  if (!infeasible.some(({ reason }) => reason === 'memory')) return null
  const { keptBytes, bytes, ...shares } = sketch.cacheShare ?? {}
  if (bytes !== undefined) return null
  const { hbmBytes } = problem.cluster.chip
  for (const share of usual) {
    const change = `${share} of each chip's memory`
    const said = Object.entries(shares)
    const larger = Object.fromEntries(said.map(([name, less]) => [name, Math.max(less, share)]))
    const own = { ...larger, ...present({ keptBytes }) }
    const isSaid = said.length > 0
    if (isSaid ? said.every(([, less]) => less >= share) : problem.memoryBudget >= share * hbmBytes) continue
    const plan = isSaid
      ? fitting(problem, { ...sketch, cacheShare: own })
      : fitting({ ...problem, memoryBudget: share * hbmBytes }, sketch)
    if (!plan) continue
    const detail = `a server has room for ${plan.roomSequences} sequences`
    return isSaid
      ? { change, pointer: '/plan/cacheShare', value: own, detail }
      : { change, pointer: '/memoryBudget', value: { fraction: share }, detail }
  }
  return null
}
