/**
 * Megatron-LM's options for running layers with experts as they are costed (recipe/expert-recipes.ts):
 *
 *   parts   --cuda-graph-impl transformer_engine, for attention, router and preparation of the dispatch
 *   step    --cuda-graph-impl full_iteration, experts padded to a capacity, paged activations, one kernel for their MLP
 *
 * The whole step is a graph only with HybridEP, which experts on ranks of their own have. Neither graphs of parts nor running two microbatches side by side go with layers that are recomputed whole; the
 * latter also needs virtual stages if there is a pipeline. Neither is used with Megatron-FSDP, as no such run has been
 * published. Source: as flags.ts, and megatron/core/transformer/transformer_config.py; values of
 * NVIDIA-NeMo/Megatron-Bridge @067f987df0, src/megatron/bridge/perf_recipes.
 */

import { compact } from '../../compact.ts'
import { type ExpertRecipeRow, expertRecipeRow } from '../../recipe/expert-recipes.ts'
import { keepsCopies, policyNamed } from '../../recipe/policy.ts'
import type { Options } from '../read/options.ts'
import { expertRanks } from '../run/experts.ts'
import type { Run } from '../run/run.ts'
import { given, part, setting } from '../settings/settings.ts'
import { isSentDirectly } from './experts.ts'
import { megatronSharding } from './states.ts'

interface RecipeLaunch {
  readonly graphs: ExpertRecipeRow['graphs']
  /** Whether two microbatches run side by side. */
  readonly beside: boolean
  /** What a graph covers cannot be recomputed, so attention is included only if its result is kept. */
  readonly keepsAttention: boolean
  readonly notes: readonly string[]
}

const implementations: Readonly<Partial<Record<ExpertRecipeRow['graphs'], string>>> = {
  parts: 'transformer_engine',
  step: 'full_iteration',
}

/** What is said where nothing is captured. */
const ungraphed: readonly (string | null)[] = [null, 'none']

function isGraphed(options: Options, option: string): boolean {
  return !ungraphed.includes(options.text(option))
}

export const recipeSettings = part(megatronExpertRecipe, {
  graphs: setting('--cuda-graph-impl', ({ graphs }) => implementations[graphs], isGraphed),
  modules: setting('--cuda-graph-modules', modulesOf),
  step: part((own: RecipeLaunch) => (own.graphs === 'step' ? own : null), {
    unchecked: setting('--no-check-for-nan-in-loss-and-grad', () => true),
    stash: setting('--moe-paged-stash', () => true),
    stashOnChip: setting('--moe-paged-stash-buffer-size-factor-cuda', () => 1.2),
    stashOnHost: setting('--moe-paged-stash-buffer-size-factor-cpu', () => 1),
    capacity: setting('--moe-expert-rank-capacity-factor', () => 1.5),
    padded: setting('--moe-pad-experts-for-cuda-graph-inference', () => true),
    fused: setting('--use-transformer-engine-op-fuser', () => true),
    interleaved: setting('--moe-mlp-glu-interleave-size', () => 32),
  }),
  beside: setting('--overlap-moe-expert-parallel-comm', ({ beside }) => beside, given),
  delayed: setting('--delay-wgrad-compute', ({ beside }) => beside),
})

function modulesOf({ graphs, keepsAttention }: RecipeLaunch): readonly string[] | null {
  return graphs === 'parts' ? compact(keepsAttention && 'attn', 'moe_router', 'moe_preprocess') : null
}

/** The variable to set before a command whose step is one graph. */
export function recipeVariable(run: Run): string | null {
  return megatronExpertRecipe(run)?.graphs === 'step' ? 'NVTE_CUTEDSL_FUSED_GROUPED_MLP=1' : null
}

/** Null for a model without experts. */
export function megatronExpertRecipe(run: Run): RecipeLaunch | null {
  const { model, problem, zeroStage, recomputation } = run
  const { expertRecipe, overlapDispatch } = problem.assumptions
  const { graphs, overlaps } = expertRecipeRow(expertRecipe)
  if (!model.experts) return null
  const keepsAttention = policyNamed(recomputation.policy)?.attention.includes('Result') === true
  const beside = overlaps || overlapDispatch > 0
  if (megatronSharding[zeroStage]) {
    const notes = compact((graphs !== 'none' || beside) && without('Megatron-FSDP', expertRecipe))
    return { graphs: 'none', beside: false, keepsAttention, notes }
  }
  const whole = recomputesWhole(run)
  const alone = graphs === 'step' && !isSentDirectly(run)
  const graphed = alone || (graphs === 'parts' && whole) ? 'none' : graphs
  return {
    graphs: graphed,
    beside: beside && !whole && mayRunBeside(run),
    keepsAttention,
    notes: compact(
      graphed === 'step' && stepNote,
      alone && without('experts whose tokens HybridEP does not send', expertRecipe),
      graphed !== graphs && !alone && without('layers that are recomputed whole', expertRecipe),
    ),
  }
}

const stepNote =
  'Megatron-LM: costed as Megatron-Bridge has run MXFP8 since 26.06, the whole step one CUDA graph and the MLP of all experts one kernel, which wants the Transformer Engine of that release; without, assumptions.expertRecipe "graphed" says what it takes.'

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
