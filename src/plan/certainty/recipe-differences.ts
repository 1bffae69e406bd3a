/** What a published run has otherwise than a request, and what its prediction assumes otherwise of the software. */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import { type Problem, wholeSequences } from '../../problem.ts'
import type { RecipeAsked, RecipeRecord } from './recipes.ts'

/** Element types, chips, sequences and their length: what a user asks for. */
export function otherwiseAsked(
  recipe: RecipeRecord,
  { cluster, precision, workload }: Problem,
): readonly string[] {
  const { precision: own } = recipe.asked
  const differing: readonly (readonly [what: string, own: unknown, asked: unknown])[] = [
    ['compute in', own.compute, precision.compute],
    ['weights in', own.weights, precision.weights],
    ['gradients in', own.gradients, precision.gradients],
    ['optimizer states in', own.optimizer, precision.optimizer],
    ['chips', recipe.chips, cluster.chips],
    [
      'watts a chip',
      recipe.asked.hardware?.powerCapWatts ?? 'uncapped',
      cluster.chip.powerCapWatts ?? 'uncapped',
    ],
    ['sequences a step', recipe.batchSequences, wholeSequences(workload)],
    ['tokens a sequence', recipe.sequenceLength, workload.sequenceLength],
  ]
  return differing
    .filter(([, own, asked]) => own !== asked)
    .map(([what, own, asked]) => `${what} ${own}, where ${asked} is asked`)
}

/** Assumptions by their names in a request: what the source says of its software, where the request has it otherwise. */
export function otherwiseAssumed({ asked }: RecipeRecord, { assumptions }: Problem): readonly string[] {
  const own: NonNullable<RecipeAsked['assumptions']> = { basis: 'calibrated', ...asked.assumptions }
  return Object.entries(own)
    .map(([name, value]) => [name, value, assumptions[name as keyof Assumptions]] as const)
    .filter(([, value, assumed]) => value !== assumed)
    .map(([name, value, assumed]) => `${name} ${printed(value)}, where ${printed(assumed)} is assumed`)
}

function printed(value: unknown): string {
  return typeof value === 'number' ? `${Number(value.toPrecision(3))}` : `${value}`
}
