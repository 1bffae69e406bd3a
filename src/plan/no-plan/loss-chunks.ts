/**
 * Suggests to compute logits in more pieces, if whole ones are what does not fit. Pieces are doubled until one is no
 * larger than the residual stream (c >= V/D); beyond that logits no longer matter.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { MemoryNumbers } from '../../cost/memory/layer-bytes.ts'
import { type Mix, shortBytes, stageBytes } from '../../cost/memory/stage-memory.ts'
import type { StageGroup } from '../../cost/step/stages.ts'
import type { Problem } from '../../problem.ts'
import type { Bytes } from '../../units.ts'
import type { Costing } from '../account/costing.ts'
import type { Suggestion } from '../answer.ts'

/** Bytes that logits add to a stage's memory; 0 if its layers need more workspace than its head. */
export function logitBytes(memory: MemoryNumbers, group: StageGroup, mix: Mix): Bytes {
  return stageBytes(memory, group, mix) - stageBytes({ ...memory, logits: 0 }, group, mix)
}

/** The fewest pieces with which a plan that does not fit would; null if logits are not the obstacle. */
export function fittingChunks({ model, memory, candidate }: Costing): number | null {
  const { problem } = model
  const fits = (chunks: number) => {
    const logits = (memory.logits * problem.assumptions.lossChunks) / chunks
    return shortBytes({ ...memory, logits }, candidate.groups, candidate.mix, problem.memoryBudget) <= 0
  }
  return morePieces(problem).find(fits) ?? null
}

export function lossChunksSuggestion(
  problem: Problem,
  anyPlan: (problem: Problem) => boolean,
): Suggestion | null {
  const { assumptions } = problem
  const changed = (lossChunks: number): Assumptions => ({ ...assumptions, lossChunks })
  const fits = (lossChunks: number) => anyPlan({ ...problem, assumptions: changed(lossChunks) })
  const pieces = morePieces(problem)
  const most = pieces.at(-1)
  if (most === undefined || !fits(most)) return null
  const chunks = pieces.find(fits) ?? most
  return {
    change: 'logits and loss in pieces',
    pointer: '/assumptions/lossChunks',
    value: chunks,
    detail: `${chunks} pieces per microbatch, of which one is on the chip at a time (MaxText's num_vocab_tiling, torchtitan's chunked loss, Liger's fused linear cross-entropy)`,
  }
}

function morePieces({ assumptions, model }: Problem): readonly number[] {
  if (!assumptions.workspace) return []
  const pieces: number[] = []
  for (let before = assumptions.lossChunks; before < model.vocab / model.dModel; before *= 2) {
    pieces.push(2 * before)
  }
  return pieces
}
