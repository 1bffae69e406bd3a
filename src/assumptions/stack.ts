/**
 * A stack: what trains, from a release on, on some kinds of chips, as the few constants by which it differs from what a cluster of
 * them does (calibrated.ts). Data of fixtures/stacks, each with its source, fitted on rows marked for that alone.
 */

import type { Chip } from '../hardware/chip.ts'
import { type Framework, ofKind, type Trainer, trainers } from '../launch/framework.ts'
import type { Assumptions } from './assumptions.ts'

/** What assumptions without one say of their stack. */
export const noStack = 'none'

/** What of the assumptions a stack may set. */
export const stackConstants = [
  'sustainedShare',
  'overlapCriticalPath',
  'elementwiseFactor',
  'expertElementwiseFactor',
  'expertLayerOverheadSeconds',
] as const satisfies readonly (keyof Assumptions)[]

export type StackConstants = Readonly<Partial<Record<(typeof stackConstants)[number], number>>>

export interface StackRecord {
  readonly name: string
  readonly title: string
  readonly framework: Trainer
  /** Names of the catalogue that it is of. */
  readonly chips: readonly string[]
  readonly constants: StackConstants
  /** The rows of fixtures/measurements behind the constants. */
  readonly fit: {
    readonly software: readonly string[]
    /** Of runs of that year and later; 2023 where absent. */
    readonly since?: number
    /** On chips whose dense runs count too, beside its own. */
    readonly alike?: readonly string[]
    readonly configurations: number
    readonly measurements: number
    readonly medianErrorBefore: number
    readonly medianError: number
  }
  readonly sources: Readonly<Record<string, string>>
}

/** Whether it is of this kind of chip. */
export function runsOn({ chips }: StackRecord, { name }: Pick<Chip, 'name'>): boolean {
  return chips.includes(name)
}

/**
 * What a request that names none is costed as: of the stacks of these chips that of the framework that trains, where several may the
 * first. Null where those that may have none there.
 */
export function usualStack(
  stacks: readonly StackRecord[],
  chip: Pick<Chip, 'name'>,
  frameworks: readonly Framework[],
): StackRecord | null {
  const able = frameworks.length > 0 ? ofKind(trainers, frameworks) : trainers
  const own = stacks.filter((stack) => runsOn(stack, chip))
  for (const framework of able) {
    const found = own.find((stack) => stack.framework === framework)
    if (found) return found
  }
  return null
}
