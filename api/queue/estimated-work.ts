/**
 * Estimates how long a search will take from the request alone: by its number of meshes, which is the number of ways to
 * distribute the prime factors of the chips over the free axes. Time grows slowly with that, as bounds prune most
 * meshes. How fast this machine searches in each mode is learned from searches that have ended.
 */
import { mostChips } from '../schemas/bound.ts'
import type { Comparison } from '../schemas/compare.ts'
import type { EvaluateAsked, EvaluateLaunchRequest } from '../schemas/evaluate.ts'
import { axisName } from '../schemas/given/axis.ts'
import { isLaunch } from '../schemas/launch.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import type { ValidateLaunchRequest } from '../schemas/validate.ts'
import type { Asked, Task } from './search.ts'

/** A single plan, a single search, or the runs of one stack. */
type Single = Exclude<Asked[Task], Comparison>

export interface Estimates {
  readonly secondsOf: (asked: Asked[Task]) => number
  /** Learns from the time of a search that was not cut short. */
  readonly learn: (asked: Asked[Task], seconds: number) => void
}

const meshAxes = axisName.options

/** Initial pace: seconds of a search per (meshes to the power `growth`), and of anything else. */
const firstPace = { search: 0.01, other: 0.05 }

/**
 * From 84 to 18,564 meshes (8 to 4096 H100) searches for Llama 3 8B, 70B and Mixtral 8x7B take about 20 times as long in
 * training, 6 times in serving, 20 to 100 times in generation and prefill.
 */
const growth = 0.5

/** Weight of the latest search in the moving average, a geometric one: a cold start takes a hundred times as long. */
const newest = 0.2

const leastPace = 1e-6

export function createEstimates(): Estimates {
  const paces = new Map<string, number>()
  const kindOf = (asked: Single) => {
    if ('op' in asked) return 'collective'
    if ('runs' in asked) return 'calibration'
    const mode = isLaunch(asked) ? modeOf(asked) : asked.workload.mode
    if (isPlan(asked)) return `${mode} plan`
    // A file says nothing of the size of its search.
    return isLaunch(asked) ? `${mode} file` : mode
  }
  const paceOf = (asked: Single) =>
    paces.get(kindOf(asked)) ?? (isSearch(asked) ? firstPace.search : firstPace.other)
  const secondsOf = (asked: Single) => paceOf(asked) * sizeOf(asked)
  return {
    secondsOf: (asked) => {
      const parts = 'variants' in asked ? asked.variants.map(({ request }) => request) : [asked]
      const seconds = parts.reduce((sum, part) => sum + secondsOf(part), 0)
      return 'timeoutMs' in asked ? Math.min(seconds, asked.timeoutMs / 1000) : seconds
    },
    learn: (asked, seconds) => {
      // It is unknown how long each of the variants took.
      if ('variants' in asked) return
      const found = Math.max(seconds / sizeOf(asked), leastPace)
      paces.set(kindOf(asked), paceOf(asked) ** (1 - newest) * found ** newest)
    },
  }
}

/** The request's mode, or training, which most launch files are for. */
function modeOf({ workload }: EvaluateLaunchRequest | ValidateLaunchRequest): string {
  const mode = typeof workload === 'object' && workload !== null && 'mode' in workload ? workload.mode : null
  return typeof mode === 'string' && mode.length < 20 ? mode : 'train'
}

function sizeOf(asked: Single): number {
  if ('runs' in asked) return asked.runs.length
  return isSearch(asked) ? meshCount(asked) ** growth : 1
}

function isSearch(asked: Single): asked is OptimizeRequest {
  return !('runs' in asked || 'op' in asked || isPlan(asked) || isLaunch(asked))
}

/** Whether only a plan is costed; with requirements, or to tell its regret, the best one is searched as well. */
function isPlan(asked: Single): asked is EvaluateAsked {
  return 'plan' in asked && !('require' in asked) && !('regret' in asked && asked.regret === true)
}

/** Number of meshes of the requested chips, over the axes that constraints leave open. */
export function meshCount({
  hardware,
  constraints = {},
}: Pick<OptimizeRequest, 'hardware'> & Partial<Pick<OptimizeRequest, 'constraints'>>): number {
  const { chips, topology = [], slices = 1 } = hardware
  const fixed = meshAxes.map((axis) => constraints[axis]).filter((size) => typeof size === 'number')
  const pinned = fixed.reduce((product, size) => product * size, 1)
  const all = chips ?? topology.reduce((product, size) => product * size, slices)
  const free = meshAxes.length - fixed.length
  const left = all / pinned
  // Larger numbers of chips are rejected before any search.
  return free === 0 || all > mostChips || !Number.isInteger(left)
    ? 1
    : exponentsOf(left).reduce((product, exponent) => product * choose(exponent + free - 1, exponent), 1)
}

/** Exponents of a number's prime factors: [3, 1] for 24. Takes at most as many steps as the number's square root. */
function exponentsOf(whole: number): readonly number[] {
  const exponents: number[] = []
  let rest = whole
  for (let divisor = 2; divisor * divisor <= rest; divisor++) {
    let exponent = 0
    for (; rest % divisor === 0; rest /= divisor) exponent++
    if (exponent > 0) exponents.push(exponent)
  }
  return rest > 1 ? [...exponents, 1] : exponents
}

function choose(of: number, some: number): number {
  let ways = 1
  for (let taken = 1; taken <= some; taken++) ways = (ways * (of - some + taken)) / taken
  return ways
}
