/**
 * What people ran: published layouts of training since 2024 with what was measured, and what is predicted for them at their own
 * settings (fixtures/recipes.json, made by `npm run accuracy -- --record` of fixtures/measurements). Those of a request's model on its
 * chips stand beside its plans, the nearest number of chips first.
 */
import type { NetworkOverride } from '../../hardware/cluster/cluster-request.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { ExpertRecipeName } from '../../recipe/expert-recipes.ts'
import type { ScheduleName } from '../../recipe/schedules.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'

/** What is asked beside a plan: so much as a body of /evaluate needs to cost it as the source ran it. */
export interface RecipeAsked {
  readonly precision: Readonly<Record<'weights' | 'compute' | 'gradients' | 'optimizer', ElementType>>
  readonly hardware?: { readonly slices?: number; readonly network?: NetworkOverride }
  readonly assumptions?: {
    readonly basis: 'calibrated'
    readonly lossChunks?: number
    readonly masterWeights?: boolean
    readonly fp8Share?: number
    readonly expertRecipe?: ExpertRecipeName
    readonly overlapDispatch?: number
  }
}

/** What was measured, or is predicted: a step, or a share of the bf16 peak where a source prints no more. */
export interface RecipeTime {
  readonly stepTimeSeconds?: number
  readonly mfu?: number
}

export interface Recipe {
  readonly source: string
  readonly software: string
  readonly release: string
  /** Its name in the catalogue. */
  readonly model: string
  readonly chip: string
  readonly chips: number
  readonly batchSequences: number
  readonly sequenceLength: number
  /** As the source calls its types of numbers. */
  readonly compute: string
  /** As /evaluate takes it: what the source states. */
  readonly plan: {
    readonly mesh: Mesh
    readonly zeroStage: ZeroStage
    readonly microbatchTokens?: number
    readonly pipelineSchedule?: ScheduleName
    readonly virtualStages?: number
    readonly rematerialization?: string
  }
  readonly measured: RecipeTime
  /** At these settings; null where the layout cannot be run as it is stated. */
  readonly predicted: RecipeTime | null
}

/** As it stands in an answer. */
export interface ShownRecipe extends Recipe {
  /** All of it as a body of /evaluate, which costs it so. */
  readonly evaluate: RecipeRequest
  /** What there is to know of it beside these plans: why it is not among them where it is predicted to be faster. */
  readonly notes: readonly string[]
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
  /** Of the model: releases of one architecture share their recipes. */
  readonly shape: string
  readonly asked: RecipeAsked
}

/** What tells architectures apart; vocabularies are padded as each framework likes, and told by their size in powers of two. */
export function shapeOf({ layers, dModel, dFf, heads, kvHeads, vocab, experts }: Transformer): string {
  const moe = experts ? [experts.experts, experts.activeExperts, experts.dFfExpert] : []
  return [layers, dModel, dFf, heads, kvHeads, Math.round(Math.log2(vocab)), ...moe].join()
}

const shown = 5

interface Asked {
  readonly model: Transformer
  readonly chip: string
  readonly chips: number
  readonly sequenceLength: number
}

/** Those of the length that is asked first; of either kind the nearest in chips and length together, and the newest of those. */
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

/** The finest that any published run cut its sequences, in parts of such a length; 1 where none did. */
export function mostContext(records: readonly Recipe[], sequenceLength: number): number {
  const pieces = records.flatMap(({ plan: { mesh }, sequenceLength: own }) =>
    mesh.context > 1 ? [own / mesh.context] : [],
  )
  return pieces.length > 0 ? Math.max(1, Math.floor(sequenceLength / Math.min(...pieces))) : 1
}

/** Whether a recipe cuts the model up as a plan does, whatever the number of chips. */
export function isPublished(recipes: readonly Recipe[], mesh: Mesh): boolean {
  return recipes.some(({ plan }) => degreesOf(plan.mesh) === degreesOf(mesh))
}

/** How a mesh cuts the model up, and not how many replicas there are. */
export function degreesOf({ tensor, tensor2, context, expert, pipeline }: Mesh): string {
  return [tensor * tensor2, context, expert, pipeline].join()
}
