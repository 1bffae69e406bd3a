/** The stack in fixtures/stacks that a published row ran under. */
import { readdirSync, readFileSync } from 'node:fs'
import { runsOn, type StackRecipe, type StackRecord } from '../../src/assumptions/stack.ts'

interface Software {
  readonly stack: string
  readonly chip: string
  readonly year: number
}

export function fittedBy(stack: StackRecord, { stack: software, chip, year }: Software): boolean {
  return (
    year >= (stack.fit.since ?? 2023) &&
    stack.fit.software.includes(software) &&
    runsOn(stack, { name: chip })
  )
}

/** Whether a run of a dense model may set its constants: on chips that are alike too. */
export function counts(stack: StackRecord, row: Software): boolean {
  const { alike = [] } = stack.fit
  return fittedBy({ ...stack, chips: [...stack.chips, ...alike] }, row)
}

/** Whether a run of a model with experts may set those of one of the ways it runs them: of the framework, on all chips that it has the way on. */
export function countsFor(
  { framework, fit }: StackRecord,
  recipe: StackRecipe,
  stacks: readonly StackRecord[],
  row: Software & {
    readonly expertRecipe?: string
    readonly dispatchOverlap?: true
    readonly unmodelled?: string
  },
): boolean {
  if (row.expertRecipe !== recipe.name || row.dispatchOverlap || row.unmodelled !== undefined) return false
  const having = stacks.filter(
    (stack) => stack.framework === framework && stack.expertRecipes?.some(({ name }) => name === recipe.name),
  )
  return fit.software.includes(row.stack) && having.some((stack) => fittedBy(stack, row))
}

const folder = new URL('../../fixtures/stacks/', import.meta.url)

export function publishedStacks(): readonly StackRecord[] {
  return readdirSync(folder)
    .sort()
    .map((file): StackRecord => JSON.parse(readFileSync(new URL(file, folder), 'utf8')))
}
