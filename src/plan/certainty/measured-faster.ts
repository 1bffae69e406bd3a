/**
 * A published run of the very question that was measured to take less than the first plan is predicted to: nothing else in an answer
 * is as sure, so that it is told beside the plans, with why it is none of them.
 */
import type { Mesh } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { secondsText } from '../explain/figures.ts'
import { layoutText } from './best-recipe.ts'
import { degreesOf, type ShownRecipe } from './recipes.ts'
import { clear } from './recipes-beside.ts'

interface Beside {
  readonly mesh: Mesh
  readonly stepTimeSeconds: Seconds
}

export interface MeasuredRun {
  readonly recipe: ShownRecipe
  readonly stepTimeSeconds: Seconds
}

/** Measured runs of the very question, the fastest first. */
export function measuredRuns(recipes: readonly ShownRecipe[]): readonly MeasuredRun[] {
  return recipes
    .flatMap((recipe): readonly MeasuredRun[] => {
      const { stepTimeSeconds } = recipe.measured
      return recipe.otherwise.length > 0 || stepTimeSeconds === undefined ? [] : [{ recipe, stepTimeSeconds }]
    })
    .sort((a, b) => a.stepTimeSeconds - b.stepTimeSeconds)
}

/** Null too where the list has a plan that divides the model as that run does, with the same assumptions. */
export function measuredFasterText(recipes: readonly ShownRecipe[], plans: readonly Beside[]): string | null {
  const [first] = plans
  const [fastest] = measuredRuns(recipes)
  if (!first || !fastest || fastest.stepTimeSeconds * clear >= first.stepTimeSeconds) return null
  const { recipe } = fastest
  const { unlisted, assumedOtherwise, evaluate } = recipe
  const listed = plans.some(({ mesh }) => degreesOf(mesh) === degreesOf(recipe.plan.mesh))
  if (listed && assumedOtherwise.length === 0) return null
  const because =
    unlisted.length > 0 ? `it is not listed: ${unlisted.join('; ')}` : `it is predicted to take longer`
  const asked =
    assumedOtherwise.length > 0
      ? `; "assumptions": ${JSON.stringify(evaluate.assumptions)} ranks all plans as it was run`
      : ''
  return `a published run of this very question was measured at ${secondsText(fastest.stepTimeSeconds)} a step, where the first plan is predicted to take ${secondsText(first.stepTimeSeconds)}: ${layoutText(recipe)} (${recipe.software} ${recipe.release}); ${because}${asked}`
}
