/**
 * A stack: what trains or serves, from a release on, on some kinds of chips, as the few constants by which it differs from what a cluster of
 * them does (calibrated.ts). Data of fixtures/stacks, each with its source, fitted on rows marked for that alone.
 */

import type { Chip } from '../hardware/chip.ts'
import { type Framework, ofKind, servers, trainers } from '../launch/framework.ts'
import type { ElementType } from '../recipe/element-types.ts'
import { unstated } from '../recipe/expert-recipe.ts'
import type { ExpertRecipeName } from '../recipe/expert-recipes.ts'
import type { Assumptions } from './assumptions.ts'

/** What assumptions without one say of their stack. */
export const noStack = 'none'

/**
 * Of what experts are sent, what hides where one microbatch runs forwards beside another backwards. Qwen3-30B-A3B on 16 H100, pairs that
 * differ by nothing else: 24.71 s and 20.99 s by HybridEP, 41.25 s and 31.31 s by AllToAll, 0.7 and 0.6 of what is predicted to be sent
 * (NVIDIA-NeMo/Megatron-Bridge @067f987df0, skills/nemo-mbridge-perf-moe-comm-overlap/SKILL.md).
 */
export const overlapOfRuns = 0.7

/**
 * What a stack runs, who may launch it, and whose is meant where nobody is named: trainers have their own chips, so that the first with a stack
 * there is it; servers run on the same ones, so that there is none unless only one may serve.
 */
const launchers = {
  training: { frameworks: trainers, first: true },
  inference: { frameworks: servers, first: false },
} as const

export type Activity = keyof typeof launchers

export const activities: readonly Activity[] = ['training', 'inference']

/** What of the assumptions a stack may set. */
export const stackConstants = {
  training: [
    'sustainedShare',
    'fp8Share',
    'overlapCriticalPath',
    'elementwiseFactor',
    'expertElementwiseFactor',
    'expertLayerOverheadSeconds',
    'overlapDispatch',
    'hierarchicalDispatch',
  ],
  inference: [
    'inferenceLayerOverheadSeconds',
    'inferenceStepOverheadSeconds',
    'inferenceSequenceOverheadSeconds',
    'inferenceCollectiveSeconds',
    'inferenceHalfBytesShare',
  ],
} as const satisfies Readonly<Record<Activity, readonly (keyof Assumptions)[]>>

export type StackConstants = Readonly<Partial<Pick<Assumptions, (typeof stackConstants)[Activity][number]>>>

/** Releases of a software, as it numbers them; the last that was measured where there is no end. */
export interface Releases {
  readonly from: string
  readonly to?: string
}

/** One of the ways in which a stack runs layers with experts: what it sets beside the stack's own constants. */
export interface StackRecipe {
  readonly name: ExpertRecipeName
  /** Of the software, those whose recipes run so. */
  readonly releases: Releases
  /** Where matmuls run in these types, it is what a request has that names none. */
  readonly usualIn: readonly ElementType[]
  readonly constants: StackConstants
  /** The rows behind the constants, of all chips that the software runs on. */
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
  /** Null where no plan is launched by it any more. */
  readonly framework: Framework | null
  /** Names of the catalogue that it is of. */
  readonly chips: readonly string[]
  readonly constants: StackConstants
  /** Where layers with experts are run in several ways that differ. */
  readonly expertRecipes?: readonly StackRecipe[]
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

/** Of some frameworks, or of all where there are none, those that it is run by. */
export function launchersOf(runs: Activity, frameworks: readonly Framework[]): readonly Framework[] {
  const able = launchers[runs].frameworks
  return frameworks.length > 0 ? ofKind<Framework>(able, frameworks) : able
}

/** Whether it is of this kind of chip. */
export function runsOn({ chips }: StackRecord, { name }: Pick<Chip, 'name'>): boolean {
  return chips.includes(name)
}

/** What a stack sets where matmuls run in a type, with the experts run in a way that it knows, else as they usually are there. */
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
 * What a request that names none is costed as: of the stacks of these chips that of the framework that trains, where several may the
 * first, or of the only one that may serve. Null where those have none there.
 */
export function usualStack(
  stacks: readonly StackRecord[],
  runs: Activity,
  chip: Pick<Chip, 'name'>,
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
