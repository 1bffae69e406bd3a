/** The published layout that is predicted to do the most with a chip, in a sentence or two beside a list of plans. */
import { compact } from '../../compact.ts'
import { keepEverything } from '../../recipe/policy.ts'
import { scheduleRow } from '../../recipe/schedule.ts'
import { percent, secondsText } from '../explain/figures.ts'
import { meshText, scheduleText } from '../explain/summary.ts'
import type { Plan } from '../plan.ts'
import type { Recipe, ShownRecipe } from './recipes.ts'
import { type Compared, gainOf } from './recipes-beside.ts'

type First = Compared & Pick<Plan, 'stepTimeSeconds'>

/**
 * Only recipes with sequences as long as those of the first one are compared: it is the nearest to the request, and a step of short
 * sequences says nothing of long ones. Those of the very question come first, then those of it in other element types, those that
 * multiply in the requested type before others, since fp8 is faster than bf16 in any layout. The text says in what the chosen recipe
 * differs from the request. Null if no recipe has a prediction; `first` is null if no plan is listed.
 */
export function bestRecipeText(
  recipes: readonly ShownRecipe[],
  first: First | null,
  compute: string,
): string | null {
  const gain = (recipe: Recipe) => (first ? (gainOf(recipe, first) ?? 0) : 0)
  const other = (recipe: ShownRecipe) =>
    (recipe.otherwise.length > 0 ? 1 : 0) +
    (isAsLarge(recipe) ? 0 : 1) +
    (recipe.evaluate.precision.compute === compute ? 0 : 2)
  const told = recipes.filter(({ predicted }) => predicted)
  const nearest = told.filter(({ sequenceLength }) => sequenceLength === told[0]?.sequenceLength)
  const [best] = nearest.sort((a, b) => other(a) - other(b) || gain(b) - gain(a))
  if (!best) return null
  const { unlisted, otherwise } = best
  const has = `it has ${otherwise.join(', ')}`
  const others = unlisted.filter((reason) => reason !== has)
  const takes = timeText(best, first)
  if (otherwise.length === 0 || isAsLarge(best)) {
    const which =
      otherwise.length === 0 ? 'this very question' : `this question but for ${otherwise.join(' and ')}`
    const reasons = others.length > 0 ? ` It is not listed: ${others.join('; ')}.` : ''
    return `${layoutText(best)} (${which}), is predicted to ${takes}.${reasons}`
  }
  const clauses = compact(has, others, incomparable(best, first))
  return `no published run of this question; the best of those near it, ${layoutText(best)}, is predicted to ${takes}; ${clauses.join('; ')}.`
}

/** Whether its chips, batch and length are those of the request, as far as it could be costed there. */
function isAsLarge({ asRequested }: ShownRecipe): boolean {
  return asRequested !== null
}

export function layoutText({ chips, plan, batchSequences, sequenceLength }: Recipe): string {
  const { mesh, zeroStage, pipelineSchedule: name, virtualStages = 1, rematerialization } = plan
  const parts = compact(
    meshText(mesh),
    zeroStage > 0 && `ZeRO-${zeroStage}`,
    name && scheduleRow({ name }).pipelined && scheduleText({ name, virtualStages }),
    rematerialization && `${rematerialization === keepEverything.name ? 'no' : rematerialization} remat`,
  )
  return `${parts.join(', ')} on ${chips} chips with ${batchSequences} sequences of ${sequenceLength}`
}

/** Tokens of longer sequences cost more. */
function incomparable({ timesFirst, predicted }: ShownRecipe, first: First | null): string | null {
  const timed = first !== null && predicted?.stepTimeSeconds !== undefined
  return timed && timesFirst === null ? 'steps of other lengths are not compared' : null
}

function bracketed(parts: readonly string[]): string {
  return parts.length > 0 ? ` (${parts.join('; ')})` : ''
}

/** A step of another batch or of other chips compares by what a chip does in its time. */
function timeText(recipe: ShownRecipe, first: First | null): string {
  const { timesFirst, measured, predicted } = recipe
  const { stepTimeSeconds, mfu = 0 } = predicted ?? {}
  if (stepTimeSeconds === undefined) {
    const besides = compact(
      measured.mfu !== undefined && `measured: ${percent(measured.mfu)}`,
      first && `the first plan: ${percent(first.mfu)}`,
    )
    return `reach an MFU of ${percent(mfu)}${bracketed(besides)}`
  }
  const compared = first !== null && timesFirst !== null
  const besides = compact(
    measured.stepTimeSeconds !== undefined && `measured: ${secondsText(measured.stepTimeSeconds)}`,
    compared && `the first plan: ${secondsText(first.stepTimeSeconds)}`,
  )
  const rate = compared ? `, ${timesFirst.toFixed(2)} times as many tokens per second and chip` : ''
  return `take ${secondsText(stepTimeSeconds)} a step${bracketed(besides)}${rate}`
}
