/**
 * The pipeline schedules, a row each; the columns are explained in schedule-row.ts. The first row is for meshes of one stage, the second is
 * what a plan has that names no schedule. Of plans that take equally long the search keeps the first: 1F1B, which never holds more
 * microbatches than another.
 *
 * In flight on stage i of p, of m microbatches (formulas 9):
 *   1F1B min(m, p - i);  GPipe m;  ZB-H1 min(m, p) on every stage;  DualPipe p + 1 of both its stages together;
 *   interleaved, in units of the stage's layers, ((v-1)p + 2(p-i) - 1)/v
 *
 * The bubble on equal stages:
 *   1F1B       (p - 1)·(F + B + W)
 *   ZB-H1      (p - 1)·(F + B - W)      Qi et al., "Zero Bubble Pipeline Parallelism" (arXiv 2401.10241), table 2
 *   DualPipe   (p/2 - 1)·(F + 2B - W)   DeepSeek-V3 (arXiv 2412.19437), table 2: (p/2 - 1)·(F&B + B - 3W), its B being B + W
 *                                       here, and F&B, a forward beside a backward chunk, F + B + W
 *
 * Where stages differ, ZB-H1 has a = b = 1 and k = p - 1, or m - 1 for fewer microbatches: exact on equal stages and above
 * what running it takes on others, as long as W is at most F and B; a longer W fills less than is said here. DualPipe has
 * a = (p/2 - 1)/(p - 1), b = 2a, k = p/2 - 1.
 *
 * DualPipe runs half of the microbatches from either end, so that a chip holds two stages; it needs an even p, an even m, and
 * m >= 2p (deepseek-ai/DualPipe). While one direction computes, the other sends its tokens to experts: such AllToAlls are
 * taken to overlap as prefetched communication does. Megatron Core does the same for a share of them (overlap_moe_expert_parallel_comm)
 * without a pipeline, or with virtual stages, but not for layers that are recomputed whole. Optimizer states that ZeRO shards are sharded
 * over both copies.
 */
import type { ScheduleRow } from './schedule-row.ts'

const mostUnlikeChunks = 8

/** Columns that most schedules have in common: whole backward passes, one stage a chip, any number of microbatches. */
const plain = {
  pipelined: true,
  virtualStages: [1, 1],
  stagesPerChip: 1,
  split: null,
  fillsOfBubble: 0,
  hidesRouted: false,
  mayHideRouted: false,
  needs: null,
  worthwhile: () => true,
} as const satisfies Partial<ScheduleRow>

export const schedules = [
  { ...plain, name: 'none', pipelined: false, mayHideRouted: true, inFlight: () => 1 },
  {
    ...plain,
    name: '1f1b',
    inFlight: (stage, stages, microbatches) => Math.min(microbatches, stages - stage),
  },
  { ...plain, name: 'gpipe', inFlight: (_stage, _stages, microbatches) => microbatches },
  {
    ...plain,
    name: 'zb-h1',
    inFlight: (_stage, stages, microbatches) => Math.min(microbatches, stages),
    split: (stages, microbatches) => ({
      forwards: 1,
      inputGradients: 1,
      fills: Math.min(stages, microbatches) - 1,
    }),
    fillsOfBubble: 2,
  },
  {
    ...plain,
    name: 'dualpipe',
    stagesPerChip: 2,
    inFlight: (_stage, stages, microbatches) => Math.min(microbatches, stages + 1),
    split: (stages) => {
      const fills = stages / 2 - 1
      const share = stages > 2 ? fills / (stages - 1) : 0
      return { forwards: share, inputGradients: 2 * share, fills }
    },
    fillsOfBubble: null,
    hidesRouted: true,
    needs: {
      stages: (stages) => stages % 2 === 0,
      microbatches: (microbatches, stages) => microbatches % 2 === 0 && microbatches >= 2 * stages,
      says: 'an even number of stages, and an even number of microbatches, at least two for each stage',
    },
  },
  {
    ...plain,
    name: 'interleaved-1f1b',
    virtualStages: [2, mostUnlikeChunks],
    mayHideRouted: true,
    inFlight: (stage, stages, microbatches, v) =>
      Math.min(microbatches, ((v - 1) * stages + 2 * (stages - stage) - 1) / v),
    // Other numbers of microbatches leave holes in the schedule (cost/step/step.ts).
    worthwhile: (stages, microbatches) => microbatches % stages === 0,
  },
] as const satisfies readonly ScheduleRow[]

export type ScheduleName = (typeof schedules)[number]['name']
