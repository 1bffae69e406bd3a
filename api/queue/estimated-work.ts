/**
 * How long a search is likely to take, from the request alone and before anything is computed: by the number of meshes, which is that of ways to
 * deal the primes of the chips out to the axes that are free. Time grows with it slowly, as bounds prune most of them; how fast this machine
 * goes through a mode's searches is learned from those that have ended.
 */
import { mostChips } from '../schemas/bound.ts'
import type { CalibrateRequest } from '../schemas/calibrate.ts'
import type { CollectiveRequest } from '../schemas/collective.ts'
import type { Comparison } from '../schemas/compare.ts'
import type { EvaluateAsked, EvaluateLaunchRequest } from '../schemas/evaluate.ts'
import { isLaunch as isLaunchFile } from '../schemas/launch.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import type { ValidateAsked, ValidateLaunchRequest } from '../schemas/validate.ts'

type Launch = EvaluateLaunchRequest | ValidateLaunchRequest

/** Of one plan, one search, or the runs of one stack. */
type Single = OptimizeRequest | EvaluateAsked | ValidateAsked | CalibrateRequest | CollectiveRequest

export type Asked = Single | Comparison

export interface Estimates {
  readonly secondsOf: (asked: Asked) => number
  /** What one took, of those that were not cut by their time. */
  readonly learn: (asked: Asked, seconds: number) => void
}

const meshAxes = ['data', 'fsdp', 'tensor', 'tensor2', 'context', 'expert', 'pipeline'] as const

/** Seconds times meshes to the power below, to begin with: of searches of training, and of all else. */
const firstPace = { train: 0.25, other: 0.05 }

/** From 200 meshes to 20 000 the searches of fixtures/requests take twice to three times as long. */
const growth = 0.2

/** The weight of the last one among all. */
const newest = 0.2

export function createEstimates(): Estimates {
  const paces = new Map<string, number>()
  const kindOf = (asked: Single) => {
    if ('op' in asked) return 'collective'
    if ('runs' in asked) return 'calibration'
    const mode = isLaunch(asked) ? modeOf(asked) : asked.workload.mode
    return `${mode}${isPlan(asked) ? ' plan' : ''}`
  }
  const paceOf = (kind: string) => paces.get(kind) ?? (kind === 'train' ? firstPace.train : firstPace.other)
  const secondsOf = (asked: Single) => paceOf(kindOf(asked)) * sizeOf(asked)
  return {
    secondsOf: (asked) => {
      const parts = 'variants' in asked ? asked.variants.map(({ request }) => request) : [asked]
      const seconds = parts.reduce((sum, part) => sum + secondsOf(part), 0)
      return 'timeoutMs' in asked ? Math.min(seconds, asked.timeoutMs / 1000) : seconds
    },
    learn: (asked, seconds) => {
      // Which of its variants took how long is not known.
      if ('variants' in asked) return
      const kind = kindOf(asked)
      paces.set(kind, (1 - newest) * paceOf(kind) + (newest * seconds) / sizeOf(asked))
    },
  }
}

/** As the request has it; else that of most files, which train. */
function modeOf({ workload }: Launch): string {
  const mode = typeof workload === 'object' && workload !== null && 'mode' in workload ? workload.mode : null
  return typeof mode === 'string' && mode.length < 20 ? mode : 'train'
}

function sizeOf(asked: Single): number {
  if ('runs' in asked) return asked.runs.length
  return 'op' in asked || isPlan(asked) || isLaunch(asked) ? 1 : meshCount(asked) ** growth
}

/** How many chips there are, and what they do, may be said in the file alone. */
function isLaunch(asked: Exclude<Single, CollectiveRequest | CalibrateRequest>): asked is Launch {
  return isLaunchFile(asked)
}

/** Of one plan alone: with it the best is searched where the plan is held to requirements. */
function isPlan(asked: Single): asked is EvaluateAsked {
  return 'plan' in asked && !('require' in asked)
}

/** Of the chips that are asked for, over the axes that constraints leave open. */
export function meshCount({
  hardware,
  constraints,
}: Pick<OptimizeRequest, 'hardware' | 'constraints'>): number {
  const { chips, topology = [], slices = 1 } = hardware
  const fixed = meshAxes.map((axis) => constraints[axis]).filter((size) => typeof size === 'number')
  const pinned = fixed.reduce((product, size) => product * size, 1)
  const all = chips ?? topology.reduce((product, size) => product * size, slices)
  const free = meshAxes.length - fixed.length
  const left = all / pinned
  // More chips than may be planned for are refused before any search.
  return free === 0 || all > mostChips || !Number.isInteger(left)
    ? 1
    : exponentsOf(left).reduce((product, exponent) => product * choose(exponent + free - 1, exponent), 1)
}

/** Of the primes of a number: [3, 1] of 24. At most as many steps as its root. */
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
