/**
 * A stack: software that trains or serves, from a release on, on some kinds of chips, as the few constants by which it differs from what a
 * cluster of them usually does (calibrated.ts). Stacks are data in fixtures/stacks, each with its source, fitted only on rows marked for it.
 */
import type { Chip } from '../hardware/chip.ts'
import { kinOf } from '../hardware/kin.ts'
import { type Framework, ofKind, servers, trainers } from '../launch/framework.ts'
import type { ElementType } from '../recipe/element-types.ts'
import { type ExpertRecipeName, unstated } from '../recipe/expert-recipes.ts'
import type { Assumptions } from './assumptions.ts'

/** The stack's name in assumptions that have none. */
export const noStack = 'none'

/**
 * Which frameworks may launch each kind of stack, and whether the first is meant where nobody is named: trainers have chips of their own, so
 * the first that has a stack for the chip is the one; servers run on the same chips, so none is meant unless only one may serve.
 */
const launchers = {
  training: { frameworks: trainers, first: true },
  inference: { frameworks: servers, first: false },
} as const

export type Activity = keyof typeof launchers

export const activities: readonly Activity[] = ['training', 'inference']

/** The assumptions that a stack may set. */
export const stackConstants = {
  training: [
    'sustainedShare',
    'fp8Share',
    'overlapCriticalPath',
    'userBuffers',
    'elementwiseFactor',
    'recurrenceFactor',
    'expertElementwiseFactor',
    'expertLayerOverheadSeconds',
    'groupedCastSeconds',
    'overlapDispatch',
    'expertOverlapGathered',
    'hierarchicalDispatch',
    'narrowDispatch',
    'recomputation',
  ],
  inference: [
    'inferenceLayerOverheadSeconds',
    'inferenceLayerHostSeconds',
    'inferenceStepOverheadSeconds',
    'inferenceSequenceOverheadSeconds',
    'inferenceCollectiveSeconds',
    'inferenceHalfBytesShare',
  ],
} as const satisfies Readonly<Record<Activity, readonly (keyof Assumptions)[]>>

export type StackConstants = Readonly<Partial<Pick<Assumptions, (typeof stackConstants)[Activity][number]>>>

/** Releases of a software, as it numbers them; without an end, up to the last that was measured. */
export interface Releases {
  readonly from: string
  readonly to?: string
}

/** One of the ways in which a stack runs layers with experts: what it sets beyond the stack's own constants. */
export interface StackRecipe {
  readonly name: ExpertRecipeName
  /** Releases of the software whose recipes run so. */
  readonly releases: Releases
  /** Types of matmuls for which a request that names no way gets this one. */
  readonly usualIn: readonly ElementType[]
  readonly constants: StackConstants
  /** The measured rows behind the constants, on all chips that the software runs on. */
  readonly fit: {
    readonly configurations: number
    readonly measurements: number
    readonly medianError: number
  }
}

export interface StackRecord {
  readonly name: string
  readonly title: string
  readonly runs: Activity
  /** Null when no framework launches plans on it any more. */
  readonly framework: Framework | null
  /** Catalogue names of the chips that it is for. */
  readonly chips: readonly string[]
  readonly constants: StackConstants
  /** The ways in which it runs layers with experts, where there are several that differ. */
  readonly expertRecipes?: readonly StackRecipe[]
  /** The rows of fixtures/measurements behind the constants. */
  readonly fit: {
    readonly software: readonly string[]
    /** Only runs of this year and later count; 2023 when absent. */
    readonly since?: number
    /** Other chips whose dense runs count too. */
    readonly alike?: readonly string[]
    readonly configurations: number
    readonly measurements: number
    readonly medianErrorBefore: number
    readonly medianError: number
  }
  readonly sources: Readonly<Record<string, string>>
}

/** The given frameworks that may launch stacks of this kind. Where none of them may, all that may: a server says nothing of training. */
export function launchersOf(runs: Activity, frameworks: readonly Framework[]): readonly Framework[] {
  const able = launchers[runs].frameworks
  const given = ofKind<Framework>(able, frameworks)
  return given.length > 0 ? given : able
}

/** Whether the stack is for this kind of chip. */
export function runsOn({ chips }: StackRecord, chip: Pick<Chip, 'name' | 'kin'>): boolean {
  const kin = kinOf(chip)
  return kin !== null && chips.includes(kin)
}

/**
 * What a stack sets: its own constants, and those of the way to run experts that is asked for (none, if it does not know that way) or, when
 * none is asked for, of the one that is usual where matmuls run in this type.
 */
export function stackAssumptions(
  { name, constants, expertRecipes = [] }: StackRecord,
  compute: ElementType,
  asked?: ExpertRecipeName,
): Partial<Assumptions> {
  const recipe = expertRecipes.find(({ name: own, usualIn }) =>
    asked === undefined ? usualIn.includes(compute) : own === asked,
  )
  return { ...constants, ...recipe?.constants, stack: name, expertRecipe: recipe?.name ?? unstated }
}

/**
 * The stack that a request which names none is costed with: among those for its chips, that of the framework that trains (of the first that
 * has one, where several may), or of the only framework that may serve. Null when those have none there.
 */
export function usualStack(
  stacks: readonly StackRecord[],
  runs: Activity,
  chip: Pick<Chip, 'name' | 'kin'>,
  frameworks: readonly Framework[],
): StackRecord | null {
  const able = launchersOf(runs, frameworks)
  const own = stacks.filter((stack) => stack.runs === runs && runsOn(stack, chip))
  const meant = launchers[runs].first ? able : able.length === 1 ? able : []
  for (const framework of meant) {
    const found = own.find((stack) => stack.framework === framework)
    if (found) return found
  }
  return null
}
