/**
 * Fits the constants of the stacks in fixtures/stacks to the rows marked `fit` of their software on their chips, and
 * writes them there: `npm run fit`, which also fits those of servers (fit-servers.ts). Constants of dense models are
 * fitted to rows of dense models; then, for each way to run layers with experts, the additional ones to the rows that
 * were run so, over all chips, because hosts and kernels lose time by framework. Minimises the mean absolute log error,
 * one constant after another in steps of its range, which get smaller until none gains; a configuration counts once.
 * Ranges are what measured kernels and the frameworks' own figures allow.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import type { StackConstants, StackRecipe, StackRecord } from '../../../src/assumptions/stack.ts'
import { expertRecipeRow } from '../../../src/recipe/expert-recipes.ts'
import { groupedBy } from '../compared.ts'
import { counts, countsFor, fittedBy } from '../stack-of.ts'
import { configurationOf } from '../training/outcomes.ts'
import { median, type PublishedRun, predictedUnder, publishedRuns } from '../training/run.ts'
import { leastLoss, type Ranges, steps } from './least-loss.ts'

type Configurations = readonly (readonly PublishedRun[])[]
type Given = (run: PublishedRun) => Partial<Assumptions>

/** Tried values, from the least to the most; constants without are held. */
const ranges: Ranges = {
  sustainedShare: steps(0.5, 1, 0.02),
  overlapCriticalPath: steps(0, 0.9, 0.1),
  elementwiseFactor: steps(1, 2, 0.1),
  expertElementwiseFactor: steps(1, 4, 0.1),
  expertLayerOverheadSeconds: steps(0, 6e-3, 1e-4),
  expertOverlapGathered: steps(0, 0.7, 0.1),
}

const folder = new URL('../../../fixtures/stacks/', import.meta.url)
const isFor = ({ split, leftOut }: PublishedRun) => split === 'fit' && leftOut === undefined
const dense = publishedRuns().filter(isFor)
const routed = publishedRuns('expert-training').filter(isFor)
const read = (file: string): StackRecord => JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
const files = readdirSync(folder)
  .sort()
  .filter((file) => read(file).runs === 'training')

const fitted = files.map((file) => {
  const stack = read(file)
  const own = dense.filter((row) => counts(stack, row))
  const configurations = configured(own)
  const constants = leastOff(stack.constants, () => ({}), configurations)
  const before = errors(() => ({}), configurations)
  const after = errors(() => constants, configurations)
  const figures = {
    configurations: configurations.length,
    measurements: own.length,
    medianErrorBefore: round(median(before)),
    medianError: round(median(after)),
  }
  process.stdout.write(`${stack.name}: ${JSON.stringify(constants)} ${JSON.stringify(figures)}\n`)
  return { file, stack: { ...stack, constants, fit: { ...stack.fit, ...figures } } }
})

const stacks = fitted.map(({ stack }) => stack)
const known = new Map<string, StackRecipe>()
for (const { file, stack } of fitted) {
  const recipes = stack.expertRecipes?.map((recipe) => recipeOf(stack, recipe))
  const whole = recipes ? { ...stack, expertRecipes: recipes } : stack
  writeFileSync(new URL(file, folder), `${JSON.stringify(whole, null, 2)}\n`)
}

/** The same in every stack of a framework. */
function recipeOf(stack: StackRecord, recipe: StackRecipe): StackRecipe {
  const key = `${stack.framework} ${recipe.name}`
  const found = known.get(key)
  if (found) return { ...recipe, constants: found.constants, fit: found.fit }
  const own = routed.filter((row) => countsFor(stack, recipe, stacks, row))
  const configurations = configured(own)
  const held: Given = (run) => stacks.find((one) => fittedBy(one, run))?.constants ?? {}
  // A step that is one graph waits for no host.
  const settled = expertRecipeRow(recipe.name).graphs === 'step' ? ['expertLayerOverheadSeconds'] : []
  const constants = leastOff(recipe.constants, held, configurations, settled)
  const fit = {
    configurations: configurations.length,
    measurements: own.length,
    medianError: round(median(errors((run) => ({ ...held(run), ...constants }), configurations))),
  }
  const made = { ...recipe, constants, fit }
  known.set(key, made)
  process.stdout.write(`${key}: ${JSON.stringify(constants)} ${JSON.stringify(fit)}\n`)
  return made
}

function configured(rows: readonly PublishedRun[]): Configurations {
  return [...groupedBy(rows, configurationOf).values()]
}

/** What is `held` beside them is not changed. */
function leastOff(
  start: StackConstants,
  held: Given,
  configurations: Configurations,
  settled: readonly string[] = [],
): StackConstants {
  const lossOf = (constants: Partial<Assumptions>) =>
    loss((run) => ({ ...held(run), ...constants }), configurations)
  return leastLoss(start, ranges, lossOf, settled)
}

function loss(constants: Given, configurations: Configurations): number {
  const off = errors(constants, configurations)
  return off.reduce((sum, error) => sum + error, 0) / off.length
}

/** |log| of predicted over measured. */
function errors(constants: Given, configurations: Configurations): readonly number[] {
  return configurations.flatMap((measured) => {
    const [run] = measured
    const plan = run ? predictedUnder(run, constants(run)) : null
    if (!plan) return []
    const logs = measured.map(({ stepTimeSeconds }) => Math.log(stepTimeSeconds))
    return [Math.abs(Math.log(plan.stepTimeSeconds) - logs.reduce((sum, log) => sum + log, 0) / logs.length)]
  })
}

function round(value: number): number {
  return Math.round(value * 1e4) / 1e4
}
