/** How else layers with experts might be run: as on these chips in other types of few bits, where a request leaves it to the type. */
import type { Chip } from '../../src/hardware/chip.ts'
import type { Setting } from '../../src/problem.ts'
import { isNarrow } from '../../src/recipe/element-type.ts'
import type { Catalogue } from '../catalogue.ts'
import type { AssumptionsRequest } from '../schemas/given/assumptions.ts'
import { assumptionsOf, type Costed, saidOf } from './assumptions.ts'

export function otherRecipeOf(
  request: AssumptionsRequest,
  chip: Chip,
  catalogue: Pick<Catalogue, 'stacks'>,
  costed: Costed,
): Pick<Setting, 'otherRecipe'> {
  const said = saidOf(request)
  if (said.expertRecipe !== undefined || !costed.model.experts || !isNarrow(costed.precision.compute))
    return {}
  const { stack, expertRecipe: usual } = assumptionsOf(request, chip, catalogue, costed)
  const recipes = catalogue.stacks.get(stack)?.expertRecipes ?? []
  const other = recipes.find(({ name, usualIn }) => name !== usual && usualIn.some((type) => isNarrow(type)))
  if (!other) return {}
  const assumptions = assumptionsOf({ ...said, expertRecipe: other.name }, chip, catalogue, costed)
  return { otherRecipe: { types: other.usualIn.filter(isNarrow), assumptions } }
}
