/** The row of a way to run layers with experts. */
import type { ExpertRecipeRow } from './expert-recipe-row.ts'
import { type ExpertRecipeName, expertRecipes } from './expert-recipes.ts'
import { rowsByName } from './rows.ts'

export const expertRecipeRow: (name: ExpertRecipeName) => ExpertRecipeRow =
  rowsByName<ExpertRecipeRow>(expertRecipes)

/** Of what has no ways that are told apart. */
export const unstated: ExpertRecipeName = expertRecipes[0].name
