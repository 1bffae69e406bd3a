/**
 * Completes the assumptions of a request: those of its basis, then those of a stack, then its own. A request that names
 * no stack gets the usual one for its kind of chip.
 */
import type { Assumptions, Basis } from '../../src/assumptions/assumptions.ts'
import { namedAssumptions } from '../../src/assumptions/named.ts'
import {
  type Activity,
  activities,
  launchersOf,
  noStack,
  runsOn,
  type StackRecord,
  stackAssumptions,
  usualStack,
} from '../../src/assumptions/stack.ts'
import type { Chip } from '../../src/hardware/chip.ts'
import { frameworks as allFrameworks, type Framework } from '../../src/launch/framework.ts'
import { assumedUnder } from '../../src/launch/training.ts'
import type { Setting } from '../../src/problem.ts'
import { usualType } from '../../src/recipe/element-type.ts'
import { type ExpertRecipeName, unstated } from '../../src/recipe/expert-recipes.ts'
import { type Catalogue, knownStack, nearestStacks } from '../catalogue.ts'
import { unknownValue } from '../hints/unknown-name.ts'
import { faultyValue, meaning } from '../problems.ts'
import type { AssumptionsRequest } from '../schemas/given/assumptions.ts'

type Stacks = Pick<Catalogue, 'stacks'>

/** What is costed: training or inference, each with a usual stack, of which model, in which element types, on which chips. */
export interface Costed extends Pick<Setting, 'model' | 'precision' | 'cluster'> {
  readonly runs: Activity
}

/** What a request says of assumptions, of which it may name the basis alone. */
export function saidOf(request: AssumptionsRequest): Exclude<AssumptionsRequest, string> {
  return typeof request === 'string' ? { basis: request } : request
}

export function basisOf(request: AssumptionsRequest): Basis {
  return saidOf(request).basis
}

/** Whether it says which software runs, or how that runs experts. */
export function namesSoftware(request: AssumptionsRequest): boolean {
  const { stack, expertRecipe } = saidOf(request)
  return (stack ?? expertRecipe) !== undefined
}

/** `costed` is absent for what is neither trained nor served. */
export function assumptionsOf(
  request: AssumptionsRequest,
  chip: Chip,
  catalogue: Stacks,
  costed?: Costed,
): Assumptions {
  const { stack: asked, ...own } = saidOf(request)
  const { basis, expertRecipe } = own
  const named = namedAssumptions(basis, chip)
  const { frameworks } = { ...named, ...own }
  const usual = () =>
    costed !== undefined && basis === 'calibrated'
      ? usualStack([...catalogue.stacks.values()], costed.runs, chip, frameworks)
      : null
  const stack = asked === undefined ? usual() : namedStack(asked, { basis, costed }, chip, catalogue)
  refuseRecipe(expertRecipe, stack)
  const compute = costed?.precision.compute ?? usualType
  const recipe = expertRecipe ?? (costed?.model.experts === null ? unstated : undefined)
  const set = stack ? stackAssumptions(stack, compute, recipe) : { stack: noStack }
  const assumptions = { ...named, ...set, ...own }
  if (costed?.runs !== 'training' || basis !== 'calibrated') return assumptions
  const under = assumedUnder(trainersMeant(asked, stack, frameworks), { ...costed, assumptions })
  return { ...named, ...set, ...under, ...own }
}

/** A framework that is named as a stack, whether there is one for the chips or not; or that of the stack; or those that may launch plans. */
function trainersMeant(
  asked: string | undefined,
  stack: StackRecord | null,
  frameworks: readonly Framework[],
): readonly Framework[] {
  const named = allFrameworks.find((own) => own === (stack?.framework ?? asked))
  return named ? [named] : launchersOf('training', frameworks)
}

/**
 * For a request that names no stack: the assumptions for each framework that can launch its plans, where they differ
 * from those that plans are costed with. A way to run experts that a framework's stack does not know is left to the
 * stack.
 */
export function runByOf(
  request: AssumptionsRequest,
  chip: Chip,
  catalogue: Stacks,
  costed: Costed,
): Pick<Setting, 'runBy'> {
  const own = saidOf(request)
  if (own.stack !== undefined || own.basis === 'book') return {}
  const usual = assumptionsOf(request, chip, catalogue, costed)
  const { expertRecipe, ...rest } = own
  const under = (framework: Framework): Assumptions => {
    const stack = namedStack(framework, { basis: 'calibrated', costed }, chip, catalogue)
    const known = expertRecipe !== undefined && recipesOf(stack).includes(expertRecipe)
    const asked = { ...rest, ...(known ? { expertRecipe } : {}), stack: stack?.name ?? noStack }
    return assumptionsOf(asked, chip, catalogue, costed)
  }
  // Commands are written for all that can launch a plan, whichever are asked for.
  const others = launchersOf(costed.runs, [])
    .map((framework) => [framework, under(framework)] as const)
    .filter(([, { stack }]) => stack !== usual.stack)
  return { runBy: Object.fromEntries(others) }
}

function recipesOf(stack: StackRecord | null): readonly ExpertRecipeName[] {
  return [unstated, ...(stack?.expertRecipes ?? []).map(({ name }) => name)]
}

/** Ways to run experts belong to a stack, which has their constants. */
function refuseRecipe(asked: ExpertRecipeName | undefined, stack: StackRecord | null): void {
  const known = recipesOf(stack)
  if (asked === undefined || known.includes(asked)) return
  const pointer = '/assumptions/expertRecipe'
  const detail = `${stack?.name ?? 'a request without a stack'} has no constants for ${asked}, only for ${known.join(', ')}`
  throw faultyValue('impossible-combination', { pointer, detail, ...meaning(pointer, known) })
}

export function stackWarnings(
  request: AssumptionsRequest,
  { stack, expertRecipe }: Pick<Assumptions, 'stack' | 'expertRecipe'>,
  chip: Pick<Chip, 'name' | 'kin'>,
  runs: Activity,
  { stacks }: Stacks,
): readonly string[] {
  const { stack: asked, frameworks: named = [] } = saidOf(request)
  if (asked !== undefined && asked !== noStack && stack === noStack) {
    return [
      `there are no constants for ${asked} on ${chip.name}: the plan is costed with general ones, as with assumptions.stack "${noStack}" (GET /stacks lists the stacks)`,
    ]
  }
  const able = launchersOf(runs, named).filter((name) => named.includes(name))
  const there = [...stacks.values()].filter((own) => own.runs === runs && runsOn(own, chip))
  const known = there.some(({ framework }) => framework !== null && able.includes(framework))
  if (asked === undefined && able.length > 0 && !known && stack === noStack) {
    const others = there.map(({ name }) => name)
    return [
      `no stack is known for ${able.join(' or ')} on ${chip.name}: costed with general constants${others.length > 0 ? ` (assumptions.stack may be ${others.join(' or ')})` : ''}`,
    ]
  }
  if (stack === noStack || asked !== undefined) return []
  return [
    `costed as ${stack} runs on ${chip.name}, as the request has no assumptions.stack: GET /stacks lists others, and "${noStack}" uses general constants${ofExperts(expertRecipe)}`,
  ]
}

function ofExperts(recipe: ExpertRecipeName): string {
  if (recipe === unstated) return ''
  return `; layers with experts as its recipe "${recipe}" runs them (assumptions.expertRecipe)`
}

const pointer = '/assumptions/stack'

/** The name of a framework means its stack for these chips, if there is one. */
function namedStack(
  name: string,
  { basis, costed }: { readonly basis: Basis; readonly costed?: Costed | undefined },
  chip: Chip,
  catalogue: Stacks,
): StackRecord | null {
  if (name === noStack) return null
  const stack = knownStack(catalogue, name)
  const framework = allFrameworks.find((own) => own === name)
  if (!stack && !framework) {
    throw unknownValue('stack', name, pointer, { nearest: nearestStacks(catalogue, name) })
  }
  if (basis === 'book') {
    const detail = 'book assumptions have no stacks: use calibrated ones'
    throw faultyValue('impossible-combination', { pointer, detail })
  }
  const asked = costed ? [costed.runs] : activities
  const stacks = [...catalogue.stacks.values()].filter((own) => asked.includes(own.runs))
  if (framework) {
    const own = stacks.filter((other) => other.framework === framework && runsOn(other, chip))
    return asked.flatMap((activity) => own.filter(({ runs }) => runs === activity))[0] ?? null
  }
  if (stack && asked.includes(stack.runs) && runsOn(stack, chip)) return stack
  const why =
    stack && !asked.includes(stack.runs)
      ? `is a stack for ${stack.runs}, but the request is for ${costed?.runs}`
      : `has no constants for ${chip.name}, only for ${stack?.chips.join(', ')}`
  const others = stacks.filter((other) => runsOn(other, chip)).map((own) => own.name)
  const detail = `${name} ${why}; ${others.join(', ') || 'none'} is`
  throw faultyValue('impossible-combination', { pointer, detail, ...meaning(pointer, others) })
}
