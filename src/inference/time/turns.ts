/**
 * Two halves of a batch that take turns (dual batch overlap): while the tokens of one are on their way to experts or back, the other
 * computes. A turn takes the longer of what is computed in it, on the compute units that dispatch and combine leave it, and of what is on
 * its way:
 *
 *   layer = sum over turns of max(C / (1 - σ), R) + all other collectives
 *
 *   prefill, both halves     shared experts and attention beside combine, attention beside dispatch,
 *                            experts beside dispatch, experts and shared experts beside combine
 *   generation, each half    shared experts and projections beside dispatch, experts beside nothing, attention beside combine
 *
 * σ is the share of compute units that dispatch and combine keep for themselves throughout: kernels that send straight from chip to chip
 * keep none (inference/phase-assumptions.ts). Each half reads all the weights that it visits, and is launched by itself. Workspace is that
 * of both. Sources: the turns and their units, deepseek-ai/profile-data @449602428a, README.md, assets/prefill.jpg and decode.jpg;
 * SGLang's are the same (sgl-project/sglang @02ed4a5e53, python/sglang/srt/operations_strategy.py, with `deep_gemm_num_sms` for σ).
 * DeepSeek-V3 (arXiv 2412.19437), section 3.4; vLLM, docs/design/dbo.md.
 */
import type { PhaseMode } from '../../modes/names.ts'
import type { Seconds } from '../../units.ts'

/** What a layer with experts computes: before the kernel of attention, from there on, and experts that are routed to or visited by all. */
export type LayerPart = 'projections' | 'attention' | 'experts' | 'shared'

/** Times of one layer and half. */
export type Computed = Readonly<Record<LayerPart, Seconds>>

/** The times of a layer whose attention and experts are components of their own. */
export function layerComputed({ projections, attention }: Computed, experts: Computed): Computed {
  return { ...experts, projections, attention }
}

/** The way of one half's tokens to their experts and back. */
export interface Routed {
  readonly dispatch: Seconds
  readonly combine: Seconds
}

interface Turn {
  readonly computed: readonly LayerPart[]
  readonly moved: keyof Routed | null
}

interface Turns {
  /** How many halves go through a layer in these turns. */
  readonly halves: 1 | 2
  readonly turns: readonly Turn[]
}

const turnsOf: Readonly<Record<PhaseMode, Turns>> = {
  prefill: {
    halves: 2,
    turns: [
      { computed: ['shared', 'projections', 'attention'], moved: 'combine' },
      { computed: ['projections', 'attention'], moved: 'dispatch' },
      { computed: ['experts'], moved: 'dispatch' },
      { computed: ['experts', 'shared'], moved: 'combine' },
    ],
  },
  generate: {
    halves: 1,
    turns: [
      { computed: ['shared', 'projections'], moved: 'dispatch' },
      { computed: ['experts'], moved: null },
      { computed: ['attention'], moved: 'combine' },
    ],
  },
}

/** What one layer with experts takes beside computing, per half. */
export function besideSeconds(
  mode: PhaseMode,
  computed: Computed,
  routed: Routed,
  keptShare: number,
): Seconds {
  if (routed.dispatch + routed.combine === 0) return 0
  const { halves, turns } = turnsOf[mode]
  let beside = 0
  for (const turn of turns) {
    const seconds = turn.computed.reduce((sum, part) => sum + computed[part], 0)
    const moved = turn.moved === null ? 0 : routed[turn.moved]
    beside += Math.max(seconds / (1 - keptShare), moved) - seconds
  }
  return beside / halves
}

/** The least that it may take, with turns as they fit best. */
export function leastBeside(computed: Computed, { dispatch, combine }: Routed): Seconds {
  return Math.max(0, dispatch + combine - secondsOf(computed))
}

/** What it takes more than computing and moving one after the other, on the units that are left. */
export function mostBeside(computed: Computed, { dispatch, combine }: Routed, keptShare: number): Seconds {
  return dispatch + combine === 0 ? 0 : secondsOf(computed) * (1 / (1 - keptShare) - 1)
}

function secondsOf({ projections, attention, experts, shared }: Computed): Seconds {
  return projections + attention + experts + shared
}
