/**
 * Megatron-LM's options for running layers with experts as they are costed (recipe/expert-recipes.ts):
 *
 *   parts   --cuda-graph-impl transformer_engine, for attention, router and preparation of the dispatch
 *   step    --cuda-graph-impl full_iteration, experts padded to a capacity, paged activations, one kernel for their MLP
 *
 * Neither graphs of parts nor running two microbatches side by side go with layers that are recomputed whole; the
 * latter also needs virtual stages if there is a pipeline. Neither is used with Megatron-FSDP, as no such run has been
 * published. Source: as flags.ts, and megatron/core/transformer/transformer_config.py; values of
 * NVIDIA-NeMo/Megatron-Bridge @067f987df0, src/megatron/bridge/perf_recipes.
 */

import { compact } from '../../compact.ts'
import { type ExpertRecipeRow, expertRecipeRow } from '../../recipe/expert-recipes.ts'
import { keepsCopies, policyNamed } from '../../recipe/policy.ts'
import { expertRanks } from '../run/experts.ts'
import type { Run } from '../run/run.ts'
import type { Word } from '../start.ts'
import { megatronSharding } from './states.ts'

interface RecipeLaunch {
  readonly flags: readonly Word[]
  /** Variables to set before the command. */
  readonly environment: readonly string[]
  readonly notes: readonly string[]
}

const nothing: RecipeLaunch = { flags: [], environment: [], notes: [] }

export function megatronExpertRecipe(run: Run): RecipeLaunch {
  const { model, problem, zeroStage } = run
  const { expertRecipe, overlapDispatch } = problem.assumptions
  const { graphs, overlaps } = expertRecipeRow(expertRecipe)
  if (!model.experts) return nothing
  const beside = overlaps || overlapDispatch > 0
  if (megatronSharding[zeroStage]) {
    if (graphs === 'none' && !beside) return nothing
    return { ...nothing, notes: [without('Megatron-FSDP', expertRecipe)] }
  }
  const whole = recomputesWhole(run)
  const graphed = graphs === 'parts' && whole ? 'none' : graphs
  const launched = graphLaunch[graphed](run)
  const overlapped = beside && !whole && mayRunBeside(run)
  return {
    flags: compact(
      launched.flags,
      overlapped && ['--overlap-moe-expert-parallel-comm', '--delay-wgrad-compute'],
    ),
    environment: launched.environment,
    notes: compact(
      launched.notes,
      graphed !== graphs && without('layers that are recomputed whole', expertRecipe),
    ),
  }
}

const graphLaunch: Readonly<Record<ExpertRecipeRow['graphs'], (run: Run) => RecipeLaunch>> = {
  none: () => nothing,
  parts: ({ recomputation: { policy } }) => ({
    ...nothing,
    flags: compact(
      ['--cuda-graph-impl', 'transformer_engine', '--cuda-graph-modules'],
      // What a graph covers cannot be recomputed, so attention is included only if its result is kept.
      policyNamed(policy)?.attention.includes('Result') && 'attn',
      ['moe_router', 'moe_preprocess'],
    ),
  }),
  step: () => ({
    flags: [
      ...['--cuda-graph-impl', 'full_iteration', '--no-check-for-nan-in-loss-and-grad'],
      ...['--moe-paged-stash', '--moe-paged-stash-buffer-size-factor-cuda', 1.2],
      ...['--moe-paged-stash-buffer-size-factor-cpu', 1, '--moe-expert-rank-capacity-factor', 1.5],
      ...['--moe-pad-experts-for-cuda-graph-inference', '--use-transformer-engine-op-fuser'],
      ...['--moe-mlp-glu-interleave-size', 32],
    ],
    environment: ['NVTE_CUTEDSL_FUSED_GROUPED_MLP=1'],
    notes: [
      'Megatron-LM: costed as Megatron-Bridge has run MXFP8 since 26.06, the whole step one CUDA graph and the MLP of all experts one kernel, which wants the Transformer Engine of that release; without, assumptions.expertRecipe "graphed" says what it takes.',
    ],
  }),
}

function without(what: string, recipe: string): string {
  return `Megatron-LM: ${what} go without what assumptions.expertRecipe "${recipe}" is costed with; "flex" says what it takes.`
}

/** Whether any layer keeps nothing but its input. */
function recomputesWhole({ recomputation: { policy, other, count } }: Run): boolean {
  return (count > 0 ? [policy, other] : [policy]).some((name) => {
    const row = policyNamed(name)
    return row !== undefined && !keepsCopies(row)
  })
}

function mayRunBeside(run: Run): boolean {
  const { mesh, microbatches, schedule } = run
  return expertRanks(run).ranks > 1 && microbatches > 1 && (mesh.pipeline === 1 || schedule.virtualStages > 1)
}
