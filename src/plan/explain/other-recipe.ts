/**
 * A warning where published recipes in other types of few bits run layers with experts in a way that is faster: what reads like a
 * difference between two types is then one between two ways to run experts.
 */
import { costModel } from '../../cost/compiled-model.ts'
import type { CostModel } from '../../cost/model.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { Candidate } from '../../search/layouts/candidate.ts'
import { stepSeconds } from '../account/costing.ts'
import { secondsText } from './figures.ts'
import type { Named } from './launch-warning.ts'

export function otherRecipeText(model: CostModel, candidate: Candidate, named: Named): string | null {
  const { problem, contextLayout } = model
  const { assumptions, precision, otherRecipe } = problem
  if (!otherRecipe) return null
  const other = costModel({ ...problem, assumptions: otherRecipe.assumptions }, contextLayout)
  const [own, otherwise] = [stepSeconds(model, candidate), stepSeconds(other, candidate)]
  if (otherwise >= own) return null
  const { expertRecipe } = otherRecipe.assumptions
  const usual = `layers with experts are costed as "${assumptions.expertRecipe}", the usual way in ${precision.compute}`
  const as = `as "${expertRecipe}", the usual way ${typesText(otherRecipe.types)}, ${named} would take ${secondsText(otherwise)} a step, not ${secondsText(own)}`
  return `${usual}; ${as}: to compare element types alone, name assumptions.expertRecipe`
}

function typesText(types: readonly ElementType[]): string {
  return types.length === 1 ? `in ${types.join()}` : 'in other types'
}
