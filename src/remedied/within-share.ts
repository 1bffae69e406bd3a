/**
 * Evaluates a written plan within what its server gives to caches. Bytes of caches alone are all that its budget leaves beside weights and
 * activations. A share that is smaller than the one that the plan's own command has takes the difference off what the plan may fill: of the chip's memory less what the server keeps of its share, or of what
 * weights and activations leave free. As both depend on the plan, and the plan on the budget where it holds as many sequences as fit, this is
 * repeated until the share holds.
 */
import type { Solver } from '../../solvers/linear-program.ts'
import { budgetFor, fillableBytes } from '../cost/memory/budget.ts'
import { isFields, present } from '../fields.ts'
import { memoryShares } from '../launch/server/memory-shares.ts'
import type { IllegalPlan } from '../plan/answer.ts'
import { bytesText } from '../plan/explain/figures.ts'
import type { MemoryAccount } from '../plan/plan.ts'
import type { CacheShare } from '../plan-sketch.ts'
import type { Setting } from '../problem.ts'
import type { Bytes } from '../units.ts'

interface Answered {
  readonly launch: Readonly<Record<string, unknown>>
  readonly memoryBytes?: MemoryAccount
  readonly generate?: { readonly memoryBytes: MemoryAccount }
  /** Of a server that reads prompts as well. */
  readonly prefill?: { readonly memoryBytes: MemoryAccount }
  readonly disaggregated?: boolean
}

/** The most that a server works with at once: where it reads prompts as well, perhaps with these. */
function workspaceOf({ workspace }: MemoryAccount, { prefill, disaggregated }: Answered): Bytes {
  return disaggregated || !prefill ? workspace : Math.max(workspace, prefill.memoryBytes.workspace)
}

function accountOf({ memoryBytes, generate }: Answered): MemoryAccount | undefined {
  return memoryBytes ?? generate?.memoryBytes
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
    return withoutOverflow(answer, own, cacheShare)
  }
}

/** Caches of so many bytes are allocated whatever else a chip holds. */
function withoutOverflow<Answer extends { readonly plan: Answered }>(
  answer: Answer | IllegalPlan,
  { cluster: { chip } }: Setting,
  { bytes, keptBytes = 0 }: CacheShare = {},
): Answer | IllegalPlan {
  const memory = 'plan' in answer ? accountOf(answer.plan) : undefined
  if (!('plan' in answer) || bytes === undefined || !memory) return answer
  const shortBytes = memory.parameters + bytes + Math.max(memory.workspace, keptBytes) - chip.hbmBytes
  if (shortBytes <= 0) return answer
  const [caches, weights, all] = [bytes, memory.parameters, chip.hbmBytes].map(bytesText)
  const detail = `${caches} of caches beside ${weights} of weights, and what the server keeps, are more than the ${all} of a chip`
  const over = { reason: 'memory', pointer: '/plan/cacheShare', shortBytes, detail }
  return { ...answer, plan: { ...answer.plan, feasible: false, infeasible: [over] } }
}

/** Bytes by which the plan's budget is more than the share leaves. */
function beyondShare(setting: Setting, plan: Answered, said: CacheShare): Bytes {
  const memory = accountOf(plan)
  if (!memory) return 0
  const { lasting, free } = memoryShares({ memory, setting })
  const written = writtenShares(plan.launch)
  const all = setting.cluster.chip.hbmBytes
  const { bytes, ofMemory, ofChip, ofFree, keptBytes = 0 } = said
  const whole = fillableBytes(setting)
  return Math.max(
    bytes === undefined ? 0 : whole - memory.parameters - workspaceOf(memory, plan) - bytes,
    beyond(ofMemory, written.ofMemory ?? lasting, (own) => own * all, all, keptBytes),
    beyond(ofChip, written.ofChip ?? Number.POSITIVE_INFINITY, () => whole, all, keptBytes),
    beyond(ofFree, written.ofFree ?? free, (own) => own * room(memory, all), room(memory, all), 0),
  )
}

/** A share that is not said takes nothing, nor does one as large as the plan's own command has: that is what the plan is. */
function beyond(
  said: number | undefined,
  own: number,
  holds: (own: number) => Bytes,
  all: Bytes,
  kept: Bytes,
): Bytes {
  return said === undefined || said >= own ? 0 : holds(own) - Math.max(0, said * all - kept)
}

function room({ parameters, workspace }: MemoryAccount, all: Bytes): Bytes {
  return all - parameters - workspace
}

/** The shares that the plan's own commands have, which may be less than its memory: what a server needs beside is in them. */
function writtenShares({ sglang, vllm, 'tensorrt-llm': tensorrt }: Answered['launch']): CacheShare {
  const caches = isFields(tensorrt) ? tensorrt.kv_cache_config : undefined
  const ofFree = isFields(caches) ? Number(caches.free_gpu_memory_fraction) : Number.NaN
  return {
    ...present({
      ofMemory: flagged(sglang, '--mem-fraction-static'),
      ofChip: flagged(vllm, '--gpu-memory-utilization'),
    }),
    ...(ofFree >= 0 ? { ofFree } : {}),
  }
}

/** Null where there are no flags, or not this one. */
function flagged(flags: unknown, name: string): number | null {
  const at = Array.isArray(flags) ? flags.indexOf(name) : -1
  return Array.isArray(flags) && at >= 0 ? Number(flags[at + 1]) : null
}
