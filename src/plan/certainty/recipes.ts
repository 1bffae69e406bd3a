/**
 * What people have run: published training layouts since 2024, with what was measured, and what is predicted for them
 * at their own settings (fixtures/recipes.json, made from fixtures/measurements by `npm run accuracy -- --record`).
 * Those of a request's model and chip are listed beside its plans.
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { NetworkOverride } from '../../hardware/cluster/cluster-request.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { ExpertRecipeName } from '../../recipe/expert-recipes.ts'
import type { ScheduleName } from '../../recipe/schedules.ts'
import { familyKey, type Mesh } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import { cutsOf } from './octaves.ts'

/** What /evaluate needs, beyond the plan, to cost a recipe as the source ran it. */
export interface RecipeAsked {
  readonly precision: Readonly<Record<'weights' | 'compute' | 'gradients' | 'optimizer', ElementType>>
  readonly hardware?: {
    readonly slices?: number
    readonly network?: Omit<NetworkOverride, 'tiers'>
    readonly powerCapWatts?: number
  }
  readonly assumptions?: { readonly basis: 'calibrated'; readonly expertRecipe?: ExpertRecipeName } & Partial<
    Pick<Assumptions, ConstantAsked>
  >
}

/** What a source says of its software that a request would otherwise leave to the assumptions. */
type ConstantAsked =
  | 'lossChunks'
  | 'expertBufferFactor'
  | 'masterWeights'
  | 'fp8Share'
  | 'attentionEfficiency'
  | 'hbmEfficiency'
  | 'overlapCriticalPath'
  | 'expertTensor'
  | 'narrowDispatch'
  | 'overlapDispatch'
  | 'recomputation'

/** A measured or predicted result: the step time, or the share of the bf16 peak if the source gives only that. */
export interface RecipeTime {
  readonly stepTimeSeconds?: number
  readonly mfu?: number
}

export interface Recipe {
  readonly source: string
  readonly software: string
  readonly release: string
  /** Name in the model catalogue. */
  readonly model: string
  readonly chip: string
  readonly chips: number
  readonly batchSequences: number
  readonly sequenceLength: number
  /** Element types, as the source names them. */
  readonly compute: string
  /** The plan as /evaluate takes it, as far as the source states it. */
  readonly plan: {
    readonly mesh: Mesh
    readonly zeroStage: ZeroStage
    readonly microbatchTokens?: number
    readonly pipelineSchedule?: ScheduleName
    readonly virtualStages?: number
    readonly stageLayers?: readonly number[]
    readonly rematerialization?: string
  }
  readonly measured: RecipeTime
  /** Prediction at these settings; null if the layout cannot be run as stated. */
  readonly predicted: RecipeTime | null
}

/** What a published layout takes with the element types, assumptions and memory of a request. */
export interface AsRequested {
  readonly stepTimeSeconds: number
  readonly feasible: boolean
}

/** A recipe as it appears in an answer. */
export interface ShownRecipe extends Recipe {
  /** A complete body for /evaluate, which yields this prediction. */
  readonly evaluate: RecipeRequest
  /** Notes on the recipe beside the answer's plans, such as why it is not among them although it is predicted to be faster. */
  readonly notes: readonly string[]
  /** What it has otherwise than the request: chips, sequences and their length, element types. Empty for the very question. */
  readonly otherwise: readonly string[]
  /** What its prediction has otherwise than the assumptions of the request, as its source says it of the software. */
  readonly assumedOtherwise: readonly string[]
  /** Its layout costed in the request, where chips, sequences and their length are the same; null if that cannot be run, or time is up. */
  readonly asRequested: AsRequested | null
  /**
   * How many times as much as the first plan a chip does by the prediction, in tokens a second, or in MFU where that is
   * all there is. Null if its sequences are of another length, nothing is predicted of it, or no plan is listed.
   */
  readonly timesFirst: number | null
  /** Why it is not among the plans, if it is predicted to be faster than the first, without how to ask for it. */
  readonly unlisted: readonly string[]
}

export type RecipeRequest = Pick<Recipe, 'model' | 'plan'> &
  Pick<RecipeAsked, 'precision' | 'assumptions'> & {
    readonly hardware: Pick<Recipe, 'chip' | 'chips'> & RecipeAsked['hardware']
    readonly workload: { readonly mode: 'train' } & Pick<Recipe, 'batchSequences' | 'sequenceLength'>
  }

export function evaluateRequestOf(
  { model, chip, chips, batchSequences, sequenceLength, plan }: Recipe,
  { precision, hardware, assumptions }: RecipeAsked,
): RecipeRequest {
  return {
    model,
    hardware: { chip, chips, ...hardware },
    workload: { mode: 'train', batchSequences, sequenceLength },
    precision,
    ...(assumptions ? { assumptions } : {}),
    plan,
  }
}

export interface RecipeRecord extends Recipe {
  /** Key of the model's architecture (`shapeOf`): releases of one architecture share their recipes. */
  readonly shape: string
  readonly asked: RecipeAsked
  /** Predicted memory over what a plan may fill, and what explains it; absent where it is predicted to fit, as it did. */
  readonly beyondBudget?: { readonly times: number; readonly unmodelled?: string }
}

/** A key for the architecture. Vocabularies count only to the nearest power of two, as frameworks pad them differently. */
export function shapeOf({ layers, dModel, dFf, heads, kvHeads, vocab, experts }: Transformer): string {
  const moe = experts ? [experts.experts, experts.activeExperts, experts.dFfExpert] : []
  return [layers, dModel, dFf, heads, kvHeads, Math.round(Math.log2(vocab)), ...moe].join()
}

const shown = 5

interface Asked {
  readonly model: Transformer
  /** The catalogue's name of the chip; null for a chip that is none of its own. */
  readonly chip: string | null
  readonly chips: number
  readonly sequenceLength: number
}

/** At most five recipes: those of the requested sequence length first, then the nearest in chips and length, then the newest. */
export function recipesFor(
  records: readonly RecipeRecord[],
  { model, chip, chips, sequenceLength }: Asked,
): readonly RecipeRecord[] {
  const shape = shapeOf(model)
  const apart = (own: number, asked: number) => Math.abs(Math.log2(own / asked))
  const off = (one: Recipe) => apart(one.chips, chips) + apart(one.sequenceLength, sequenceLength)
  const other = (one: Recipe) => (one.sequenceLength === sequenceLength ? 0 : 1)
  const alike = records.filter((one) => one.shape === shape && one.chip === chip)
  return [...alike]
    .sort(
      (a, b) =>
        other(a) - other(b) ||
        off(a) - off(b) ||
        (a.release < b.release ? 1 : a.release > b.release ? -1 : 0),
    )
    .slice(0, shown)
}

/** Whether a recipe divides the model as this mesh does, whatever the number of chips. */
export function isPublished(recipes: readonly Recipe[], mesh: Mesh): boolean {
  return recipes.some(({ plan }) => degreesOf(plan.mesh) === degreesOf(mesh))
}

/** Whether one of them divides the model over the same axes, into however many parts. */
export function isPublishedKind(recipes: readonly Recipe[], mesh: Mesh): boolean {
  return recipes.some(({ plan }) => familyKey(plan.mesh) === familyKey(mesh))
}

/** How a mesh divides the model, regardless of its number of replicas. */
export function degreesOf(mesh: Mesh): string {
  return Object.values(cutsOf(mesh)).join()
}
