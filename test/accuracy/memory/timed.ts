/** Training runs with a time ran, so they fitted: which of them are predicted not to. */
import type { Plan } from '../../../src/plan/plan.ts'
import { isCompared } from '../compared.ts'
import { rounded } from '../summary.ts'
import { timedRuns } from '../training/outcomes.ts'
import { predicted } from '../training/run.ts'

/** What of the budget a prediction may need beyond it and still count as fitting. */
const tolerance = 0.02

export function isBeyond({ total, budget }: Plan['memoryBytes']): boolean {
  return total > budget * (1 + tolerance)
}

export interface TimedFits {
  readonly fit: number
  readonly of: number
  /** Configurations that are predicted to need more, the furthest first. */
  readonly beyond: readonly BeyondBudget[]
}

export interface BeyondBudget {
  readonly what: string
  /** Predicted memory over the budget. */
  readonly share: number
  /** What of the run's memory the cost model has no place for; null if nothing is known. */
  readonly unmodelled: string | null
}

export function timedFits(): TimedFits {
  const rows = timedRuns().flatMap(({ row, outcome }) => {
    const memory = isCompared(outcome) ? predicted(row)?.memoryBytes : undefined
    if (!memory) return []
    const named = [row.model, row.chips, row.chip].map((part) =>
      typeof part === 'object' ? 'a model of its own' : part,
    )
    const mesh = Object.entries(row.mesh).filter(([, size]) => size > 1)
    const layout = mesh.map(([axis, size]) => `${axis} ${size}`).join(' x ')
    const what = `${row.stack}, ${named.join(' ')}, ${row.compute ?? 'bf16'}, ${layout}, ${row.microbatchTokens ?? '?'} tokens a microbatch`
    return [
      {
        what,
        isBeyond: isBeyond(memory),
        share: memory.total / memory.budget,
        unmodelled: row.unmodelledMemory ?? null,
      },
    ]
  })
  const beyond = rows.filter((row) => row.isBeyond)
  const once = [...new Map(beyond.map((row) => [row.what, row])).values()]
  return {
    ...{ fit: rows.length - beyond.length, of: rows.length },
    beyond: once
      .sort((a, b) => b.share - a.share)
      .map(({ isBeyond: _, ...row }) => ({ ...row, share: rounded(row.share) })),
  }
}
