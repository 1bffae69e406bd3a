/** Ways to run layers with experts, looked up by name. */
import type { ExpertRecipeRow } from './expert-recipe-row.ts'
import { type ExpertRecipeName, expertRecipes } from './expert-recipes.ts'
import { rowsByName } from './rows.ts'

export const expertRecipeRow: (name: ExpertRecipeName) => ExpertRecipeRow =
  rowsByName<ExpertRecipeRow>(expertRecipes)

/** The way of stacks and frameworks that do not tell ways apart. */
export const unstated: ExpertRecipeName = expertRecipes[0].name
