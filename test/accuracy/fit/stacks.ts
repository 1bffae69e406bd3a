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
import type { Seconds } from '../../../src/units.ts'
import { groupedBy } from '../compared.ts'
import { counts, countsFor, fittedBy } from '../stack-of.ts'
import { configurationOf } from '../training/outcomes.ts'
import { median, type PublishedRun, predictedUnder, publishedRuns } from '../training/run.ts'
import { leastLoss, type Ranges, steps } from './least-loss.ts'
import { mean, toldApart } from './told-apart.ts'

type Configurations = readonly (readonly PublishedRun[])[]
interface Way {
  readonly stack: StackRecord
  readonly recipe: StackRecipe
}
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

/**
 * What quantising an expert's rows adds to each of its matmuls, the same for all ways that run these one by one. Matmuls of servers that quantise their
 * input start 5 to 18 us later than in bf16 (ai-dynamo/aiconfigurator @095f58a51c4c: by blocks 5 on B200, 6 on GB300, 8 on GB200, 17 on H100; by tensors
 * 11 to 18).
 */
const castSeconds = steps(5e-6, 1.8e-5, 1e-6)

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
const ways = groupedBy(
  stacks.flatMap((stack) => (stack.expertRecipes ?? []).map((recipe) => ({ stack, recipe }))),
  ({ stack, recipe }) => `${stack.framework} ${recipe.name}`,
)
const fits = castSeconds.map((seconds) => fittedWays(seconds))
const { made } = fits.reduce((best, own) => (own.loss < best.loss ? own : best))
for (const [name, { constants, fit }] of made) {
  process.stdout.write(`${name}: ${JSON.stringify(constants)} ${JSON.stringify(fit)}\n`)
}
for (const { file, stack } of fitted) {
  const recipes = stack.expertRecipes?.map((recipe) => {
    const found = made.get(`${stack.framework} ${recipe.name}`)
    return { ...recipe, ...found }
  })
  const whole = recipes ? { ...stack, expertRecipes: recipes } : stack
  writeFileSync(new URL(file, folder), `${JSON.stringify(whole, null, 2)}\n`)
}

/** Every way to run layers with experts, the same in all stacks of a framework, if quantising takes so long beside each matmul of an expert. */
function fittedWays(seconds: Seconds) {
  const all = [...ways].flatMap(([name, [way]]) => (way ? [{ name, ...wayWith(way, seconds) }] : []))
  return {
    loss: all.reduce((sum, { loss: own, fit }) => sum + own * fit.configurations, 0),
    made: new Map(all.map(({ name, constants, fit }) => [name, { constants, fit }])),
  }
}

function wayWith({ stack, recipe }: Way, seconds: Seconds) {
  const own = routed.filter((row) => countsFor(stack, recipe, stacks, row))
  const configurations = configured(own)
  const held: Given = (run) => stacks.find((one) => fittedBy(one, run))?.constants ?? {}
  // A step that is one graph waits for no host.
  const settled = expertRecipeRow(recipe.name).graphs === 'step' ? ['expertLayerOverheadSeconds'] : []
  const start =
    'groupedCastSeconds' in recipe.constants
      ? { ...recipe.constants, groupedCastSeconds: seconds }
      : recipe.constants
  const offWith = (tried: StackConstants) => errors((run) => ({ ...held(run), ...tried }), configurations)
  // Trades with the time of a layer, so that it stays unless rows can tell.
  const kept = leastOff(start, held, configurations, [...settled, 'expertOverlapGathered'])
  const freed = leastOff(kept, held, configurations, settled)
  const constants = toldApart(offWith(kept), offWith(freed)) ? freed : kept
  const off = offWith(constants)
  const fit = {
    configurations: configurations.length,
    measurements: own.length,
    medianError: round(median(off)),
  }
  return { constants, fit, loss: mean(off) }
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
  return mean(errors(constants, configurations))
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
