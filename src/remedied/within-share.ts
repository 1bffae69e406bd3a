/**
 * Evaluates a written plan within what its server gives to caches. A share that is smaller than the one that the plan's
 * own command has takes the difference off what the plan may fill: of the chip's memory, or of what weights and activations
 * leave free. As both depend on the plan, and the plan on the budget where it holds as many sequences as fit, this is
 * repeated until the share holds.
 */
import type { Solver } from '../../solvers/linear-program.ts'
import { budgetFor, fillableBytes } from '../cost/memory/budget.ts'
import { isFields } from '../fields.ts'
import { memoryShares } from '../launch/server/memory-shares.ts'
import type { IllegalPlan } from '../plan/answer.ts'
import type { MemoryAccount } from '../plan/plan.ts'
import type { CacheShare, Setting } from '../problem.ts'
import type { Bytes } from '../units.ts'

interface Answered {
  readonly launch: Readonly<Record<string, unknown>>
  readonly memoryBytes?: MemoryAccount
  readonly generate?: { readonly memoryBytes: MemoryAccount }
}

type Evaluate<Problem, Sketch, Answer> = (
  problem: Problem,
  sketch: Sketch,
  solver: Solver,
) => Answer | IllegalPlan

const mostTimes = 4

export function withinShare<
  Problem extends Setting,
  Sketch extends { readonly cacheShare?: CacheShare },
  Answer extends { readonly plan: Answered },
>(evaluate: Evaluate<Problem, Sketch, Answer>): Evaluate<Problem, Sketch, Answer> {
  return (problem, sketch, solver) => {
    const { cacheShare } = sketch
    let own = problem
    let answer = evaluate(own, sketch, solver)
    for (let times = 0; cacheShare && 'plan' in answer && times < mostTimes; times++) {
      const over = beyondShare(own, answer.plan, cacheShare)
      if (over <= 0) break
      // The margin that plans leave free is no part of the share, and shrinks with a budget.
      own = { ...own, memoryBudget: budgetFor(Math.max(0, fillableBytes(own) - over), own) }
      answer = evaluate(own, sketch, solver)
    }
    return answer
  }
}

/** Bytes by which the plan's budget is more than the share leaves. */
function beyondShare(setting: Setting, { launch, memoryBytes, generate }: Answered, said: CacheShare): Bytes {
  const memory = memoryBytes ?? generate?.memoryBytes
  if (!memory) return 0
  const { lasting, free } = memoryShares({ memory, setting })
  const written = writtenShares(launch)
  const all = setting.cluster.chip.hbmBytes
  const { ofMemory, ofFree } = said
  return Math.max(
    ofMemory === undefined ? 0 : ((written.ofMemory ?? lasting) - ofMemory) * all,
    ofFree === undefined
      ? 0
      : ((written.ofFree ?? free) - ofFree) * (all - memory.parameters - memory.workspace),
  )
}

/** The shares that the plan's own commands have, which may be less than its memory: what a server needs beside is in them. */
function writtenShares({ sglang, 'tensorrt-llm': tensorrt }: Answered['launch']): CacheShare {
  const at = Array.isArray(sglang) ? sglang.indexOf('--mem-fraction-static') : -1
  const caches = isFields(tensorrt) ? tensorrt.kv_cache_config : undefined
  const ofFree = isFields(caches) ? Number(caches.free_gpu_memory_fraction) : Number.NaN
  return {
    ...(Array.isArray(sglang) && at >= 0 ? { ofMemory: Number(sglang[at + 1]) } : {}),
    ...(ofFree >= 0 ? { ofFree } : {}),
  }
}
