/**
 * Notes on a published layout beside a list of plans: why it is not among them although it is predicted to be faster
 * per chip, and which listed plan stands for it if the list has one plan per family.
 */
import { compact } from '../../compact.ts'
import { layoutRefusals } from '../../launch/training.ts'
import type { Problem } from '../../problem.ts'
import { unscheduled } from '../../recipe/schedule.ts'
import type { OpenLayout } from '../../search/layouts/candidate.ts'
import { triedSchedules } from '../../search/layouts/choices.ts'
import { familyKey, type Mesh, replicasOf } from '../../sharding/axis.ts'
import { plainContext } from '../../sharding/tables/context-layout.ts'
import type { Seconds } from '../../units.ts'
import { secondsText } from '../explain/figures.ts'
import type { Plan } from '../plan.ts'
import { cutsOf } from './octaves.ts'
import { otherwiseAsked, otherwiseAssumed } from './recipe-differences.ts'
import {
  type AsRequested,
  degreesOf,
  evaluateRequestOf,
  type Recipe,
  type RecipeRecord,
  type RecipeTime,
  type ShownRecipe,
} from './recipes.ts'

type Listed = Pick<Plan, 'rank' | 'mesh' | 'mfu' | 'tokensPerSecondPerChip'>

export function recipesBeside(
  records: readonly RecipeRecord[],
  problem: Problem,
  plans: readonly Listed[],
  asRequestedOf: (record: RecipeRecord) => AsRequested | null = () => null,
): readonly ShownRecipe[] {
  const [first] = plans
  return records.map((record) => {
    const { shape: _, beyondBudget, asked, ...recipe } = record
    const timesFirst = first && sameLength(record, problem) ? gainOf(record, first) : null
    const faster = first && timesFirst ? fasterThan(record, first, timesFirst) : null
    const otherwise = otherwiseAsked(record, problem)
    const assumedOtherwise = otherwiseAssumed(record, problem)
    const asRequested = asRequestedOf(record)
    const reasons =
      faster === null ? [] : reasonsOf(record, problem, { otherwise, assumedOtherwise, asRequested })
    const whole = reasons.map((reason) => reason.whole).join('; ')
    return {
      ...recipe,
      evaluate: evaluateRequestOf(recipe, asked),
      notes: compact(
        lengthNote(recipe, problem),
        farOffNote(recipe),
        beyondBudget && `it ran, and is ${tooLarge(beyondBudget)}`,
        faster !== null && `predicted faster than the first plan (${faster}): ${whole}`,
        familyNote(record, problem, plans),
      ),
      ...{ otherwise, assumedOtherwise, asRequested },
      timesFirst,
      unlisted: reasons.map(({ short }) => short),
    }
  })
}

/** Both the best plan and what fits depend on the sequence length, and so does what a token costs. */
function lengthNote(recipe: Recipe, problem: Problem): string | null {
  if (sameLength(recipe, problem)) return null
  const { sequenceLength } = problem.workload
  return `its sequences have ${recipe.sequenceLength} tokens, those of the request ${sequenceLength}`
}

function sameLength({ sequenceLength }: Recipe, { workload }: Problem): boolean {
  return sequenceLength === workload.sequenceLength
}

/** Plans of the same model on the same chips may be off by as much. */
function farOffNote({ measured, predicted }: Recipe): string | null {
  const share = predicted && ratioOf(predicted, measured)
  if (!share || Math.abs(Math.log(share)) < Math.log(farOff)) return null
  return `its predicted time is ${share.toFixed(2)} of the measured one: plans of this model on these chips may be as far off`
}

/** Nine of ten dense runs are predicted more closely than this. */
const farOff = 1.2

/** Predicted over measured time; from MFU if the source gives no time, inverted since a higher MFU is a shorter time. */
function ratioOf(predicted: RecipeTime, measured: RecipeTime): number | null {
  if (predicted.stepTimeSeconds && measured.stepTimeSeconds) {
    return predicted.stepTimeSeconds / measured.stepTimeSeconds
  }
  return predicted.mfu && measured.mfu ? measured.mfu / predicted.mfu : null
}

/** Why a recipe is not among the plans. */
interface Reason {
  readonly short: string
  /** The same with what each framework says, and how to ask for it. */
  readonly whole: string
}

type Differing = Pick<ShownRecipe, 'otherwise' | 'assumedOtherwise' | 'asRequested'>

function reasonsOf(recipe: RecipeRecord, problem: Problem, differing: Differing): readonly Reason[] {
  const { otherwise } = differing
  const reasons = compact(
    otherwise.length > 0 && alike(`it has ${otherwise.join(', ')}`),
    assumed(recipe, differing),
    unsearched(recipe, problem),
    unlaunched(recipe, problem),
    recipe.beyondBudget && alike(`it is ${tooLarge(recipe.beyondBudget)}`),
  )
  const { asRequested } = differing
  if (reasons.length > 0) return reasons
  return [
    alike(
      asRequested
        ? `as requested ${asRequestedText(asRequested)}`
        : 'it uses something that the request or its assumptions exclude',
    ),
  ]
}

function assumed({ asked }: RecipeRecord, { assumedOtherwise, asRequested }: Differing): Reason | null {
  if (assumedOtherwise.length === 0) return null
  const beside = asRequested ? `; as assumed here ${asRequestedText(asRequested)}` : ''
  const short = `its prediction has ${assumedOtherwise.join(' and ')}${beside}`
  return { short, whole: `${short}: ask with "assumptions": ${JSON.stringify(asked.assumptions)}` }
}

function asRequestedText({ feasible, stepTimeSeconds }: AsRequested): string {
  return feasible ? `it takes ${secondsText(stepTimeSeconds)}` : 'it does not fit'
}

function tooLarge({ times, unmodelled }: NonNullable<RecipeRecord['beyondBudget']>): string {
  const because = unmodelled ? `, as it has ${unmodelled}, which is not counted` : ''
  return `predicted to need ${times} times what it may fill of a chip${because}`
}

function alike(text: string): Reason {
  return { short: text, whole: text }
}

/** What is compared of a plan: a recipe has the one or the other. */
export type Compared = Pick<Plan, 'mfu' | 'tokensPerSecondPerChip'>

/** How many times as much as the plan a chip does by the prediction, in tokens or, where that is all there is, in MFU. */
export function gainOf({ predicted, ...recipe }: Recipe, plan: Compared): number | null {
  if (!predicted) return null
  if (predicted.stepTimeSeconds === undefined) return (predicted.mfu ?? 0) / plan.mfu
  return rateOf(recipe, predicted.stepTimeSeconds) / plan.tokensPerSecondPerChip
}

function rateOf(
  { batchSequences, sequenceLength, chips }: Pick<Recipe, 'batchSequences' | 'sequenceLength' | 'chips'>,
  seconds: Seconds,
): number {
  return (batchSequences * sequenceLength) / (seconds * chips)
}

/** What the prediction and the first plan do; null if the recipe is not faster. */
function fasterThan(recipe: RecipeRecord, first: Listed, timesFirst: number): string | null {
  const { predicted } = recipe
  if (!predicted || timesFirst <= clear) return null
  const { stepTimeSeconds, mfu = 0 } = predicted
  return stepTimeSeconds === undefined
    ? `MFU ${printed(mfu)}, ${printed(first.mfu)} of the first`
    : `${printed(rateOf(recipe, stepTimeSeconds))} tokens a second and chip, ${printed(first.tokensPerSecondPerChip)} of the first`
}

/** Published step times have four significant digits. */
export const clear = 1.001

function printed(value: number): string {
  return `${Number(value.toPrecision(3))}`
}

function unsearched({ plan: { pipelineSchedule } }: RecipeRecord, problem: Problem): readonly Reason[] {
  const searched = triedSchedules(problem)
  if (!pipelineSchedule || searched.includes(pipelineSchedule)) return []
  const asked = JSON.stringify([...searched, pipelineSchedule])
  return [
    {
      short: 'its schedule is not searched unless asked for',
      whole: `its schedule is not searched unless it is asked for: "workload": {"schedule": ${asked}}`,
    },
  ]
}

function unlaunched(recipe: RecipeRecord, problem: Problem): readonly Reason[] {
  const all = Object.entries(layoutRefusals(problem, layoutOf(recipe, problem)))
  if (all.length === 0 || all.some(([, reasons]) => reasons.length === 0)) return []
  const says = all.map(([name, [reason]]) => `${name} (${reason})`).join(', ')
  return [
    {
      short: `not launchable by ${all.map(([name]) => name).join(', ')}`,
      whole: `not launchable by ${says}: ask with "assumptions": {"basis": "calibrated", "frameworks": []}`,
    },
  ]
}

/** The layout, as far as the source states it. */
function layoutOf(
  { plan, chips, batchSequences, sequenceLength }: RecipeRecord,
  { cluster }: Problem,
): OpenLayout {
  const { mesh, zeroStage, microbatchTokens, pipelineSchedule, virtualStages = 1 } = plan
  const replicas = replicasOf(mesh)
  // `microbatchTokens` is for one replica; `sequences` is for all of them.
  const sequences = ((microbatchTokens ?? sequenceLength) / sequenceLength) * replicas
  return {
    ...{ cluster: { ...cluster, chips }, mesh, zeroStage, contextLayout: plainContext },
    schedule: pipelineSchedule ? { name: pipelineSchedule, virtualStages } : unscheduled,
    ...{ sequences, microbatches: batchSequences / sequences },
  }
}

/** A list by family has one plan of each, which may divide the model differently from what was published. */
function familyNote(
  { plan: { mesh } }: RecipeRecord,
  { distinct }: Problem,
  plans: readonly Listed[],
): string | null {
  if (distinct !== 'family' || plans.some((plan) => degreesOf(plan.mesh) === degreesOf(mesh))) return null
  const same = plans.find((plan) => familyKey(plan.mesh) === familyKey(mesh))
  if (!same) return null
  return `plan ${same.rank} is of its family, with ${cutOf(same.mesh)} for its ${cutOf(mesh)}: "distinct": "mesh" lists both`
}

function cutOf(mesh: Mesh): string {
  const sizes = Object.entries(cutsOf(mesh)).filter(([, size]) => size > 1)
  return sizes.map(([axis, size]) => `${axis} ${size}`).join(' x ') || 'nothing cut up'
}
