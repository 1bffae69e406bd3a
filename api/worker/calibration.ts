/** Turns a request of /calibrate into measured runs, and the constants found into the body of the answer. */
import {
  type Calibration,
  calibrate,
  isBeyondReach,
  type MeasuredRun,
  usualConstants,
} from '../../src/calibrate.ts'
import { compact } from '../../src/compact.ts'
import type { Reassumable } from '../../src/cost/reassumed.ts'
import type { Stop } from '../../src/patience.ts'
import { percent } from '../../src/plan/explain/figures.ts'
import { asCosted } from '../../src/validation/costed-with.ts'
import type { Catalogue } from '../catalogue.ts'
import { faultyValue, ProblemError } from '../problems.ts'
import { timedOut } from '../queue/deadline.ts'
import type { CalibrateBody, CalibrateRequest, NamedRun } from '../schemas/calibrate.ts'
import type { AssumptionsRequest } from '../schemas/given/assumptions.ts'
import { isLaunch } from '../schemas/launch.ts'
import { saidOf } from '../translate/assumptions.ts'
import { launchKey } from '../translate/launch/file.ts'
import { launchWarnings } from '../translate/launch/launch.ts'
import { inRun } from '../validation/measured-runs.ts'
import { evaluateQuestion } from './desk.ts'

type Run = CalibrateRequest['runs'][number]

/** A run as it is costed, and what the request of it says once its launch file is spelled out. */
interface Read extends MeasuredRun {
  readonly name: string
  readonly assumptions: AssumptionsRequest
  readonly warnings: readonly string[]
  /** Constants that its launch file sets for its plan alone, and where it stands. */
  readonly ofFile: { readonly names: readonly string[]; readonly pointer: string }
}

export function calibrateBody(request: CalibrateRequest, catalogue: Catalogue, stop: Stop): CalibrateBody {
  const names = request.constants ?? usualConstants(request.runs.length)
  const read = request.runs.map((run, at) => inRun(at, run.name, () => measuredRun(run, at, catalogue)))
  refuseUnlike(read, names)
  const found = calibrate(read, names, stop)
  if (!found) throw timedOut(request.timeoutMs, 'the runs were not costed')
  if ('illegal' in found) {
    const { run, illegal } = found
    return inRun(run, request.runs[run]?.name, (): never => {
      throw new ProblemError('illegal-plan', illegal[0]?.detail ?? 'The plan is illegal.', illegal)
    })
  }
  const runs = found.runs.map((run, at) => ({ name: read[at]?.name ?? '', ...run }))
  const named = { ...found, runs }
  const ofFiles = read.flatMap(({ name, warnings }) => warnings.map((warning) => `${name}: ${warning}`))
  return { assumptions: toSend(read[0], found), ...named, warnings: [...warningsOf(named), ...ofFiles] }
}

/** A run without a name is counted from 1, as in the table. */
function measuredRun(run: Run, at: number, catalogue: Catalogue): Read {
  const { measuredStepSeconds, name = `run ${at + 1}`, ...asked } = run
  const { request, reading, trial } = evaluateQuestion(asked, catalogue)
  if (trial.mode !== 'train') {
    const detail = 'constants are set on runs of training alone'
    throw faultyValue('impossible-combination', { pointer: '/workload/mode', detail })
  }
  const { problem, sketch, costedWith } = trial
  return {
    problem: asCosted(problem, costedWith),
    sketch,
    measuredStepSeconds,
    name,
    assumptions: request.assumptions,
    warnings: launchWarnings(reading),
    ofFile: {
      names: Object.keys(costedWith?.written ?? {}),
      pointer: isLaunch(asked) ? `/plan/${launchKey(asked.plan)}` : '/plan/costedWith',
    },
  }
}

/** All runs need the same kind of chip, and the same assumed values of the constants. */
function refuseUnlike(runs: readonly Read[], names: readonly Reassumable[]): void {
  const [first] = runs
  for (const [at, { problem, name, ofFile }] of runs.entries()) {
    const { chip } = problem.cluster
    if (chip.name !== first?.problem.cluster.chip.name) {
      const detail = `one set of constants is of one kind of chip: this is ${chip.name}, ${first?.name} is ${first?.problem.cluster.chip.name}`
      throw faultyValue('impossible-combination', { pointer: `/runs/${at}/hardware/chip`, detail })
    }
    const other = names.find(
      (constant) => problem.assumptions[constant] !== first.problem.assumptions[constant],
    )
    if (other === undefined) continue
    const own = [ofFile, first.ofFile].some((file) => file.names.includes(other))
    const why = own
      ? ', with which the plan alone is costed: set other `constants`, or calibrate such runs apart'
      : ''
    const detail = `${other} of ${name} is assumed to be ${problem.assumptions[other]}, of ${first.name} ${first.problem.assumptions[other]}${why}`
    const pointer = `/runs/${at}${own ? ofFile.pointer : '/assumptions'}`
    throw faultyValue('impossible-combination', { pointer, detail })
  }
}

function toSend(first: Read | undefined, { constants }: Calibration): CalibrateBody['assumptions'] {
  const own = saidOf(first?.assumptions ?? 'calibrated')
  return { ...own, ...Object.fromEntries(constants.map(({ name, value }) => [name, value])) }
}

function warningsOf({
  constants,
  error,
  runs,
}: Omit<CalibrateBody, 'assumptions' | 'warnings'>): readonly string[] {
  const beyond = runs.filter(isBeyondReach)
  const odd = runs.flatMap((run) => (run.fits || isBeyondReach(run) ? [] : [named(run)]))
  const silent = constants.filter(({ spreadLeft }) => spreadLeft > 0.9)
  const same = silent.filter(({ value, assumed }) => value === assumed).map(({ name }) => name)
  const near = silent.filter(({ value, assumed }) => value !== assumed).map(({ name }) => name)
  return compact(
    beyond.length > 0 && beyondText(runs, beyond),
    odd.length > 0 &&
      `${odd.join(', ')} ${odd.length === 1 ? 'is' : 'are'} far from what the others say: look at how it was measured, or at what its request leaves out`,
    same.length > 0 && `these runs say nothing of ${same.join(', ')}: it stays as it was assumed`,
    near.length > 0 && `these runs say little of ${near.join(', ')}: it stays close to what was assumed`,
    runs.length > 1 &&
      error.leftOut.median > error.assumed.median &&
      `a run that is left out is predicted worse with what the others set (${percent(error.leftOut.median)}) than as assumed (${percent(error.assumed.median)}): what is off is not what was set`,
  )
}

function named({ name, plan }: NamedRun): string {
  return `${name} (${plan})`
}

/** Units that seconds are mistaken for: the factor by which the number is then too large. */
const mistakenUnits: readonly (readonly [times: number, name: string])[] = [
  [1e6, 'microseconds'],
  [1e3, 'milliseconds'],
  [1 / 60, 'minutes'],
  [1e-3, 'thousands of seconds'],
  [1 / 3600, 'hours'],
]

/** The median factor by which such runs are off, and the unit that it suggests. */
function beyondText(runs: readonly NamedRun[], beyond: readonly NamedRun[]): string {
  const factors = beyond.map((run) => run.measuredStepSeconds / run.stepSeconds).sort((a, b) => a - b)
  const middle = factors[Math.floor(factors.length / 2)] ?? 1
  const unit = mistakenUnits.find(([times]) => Math.abs(Math.log(middle / times)) < Math.log(2))?.[1]
  const which =
    beyond.length === runs.length ? 'the measured times' : runs.filter(isBeyondReach).map(named).join(', ')
  const [off, of] = middle > 1 ? [middle, 'times'] : [1 / middle, 'times less than']
  const times = `about ${Number(off.toPrecision(off < 10 ? 2 : 1)).toLocaleString('en')} ${of} what is predicted`
  const asks = unit ? `in ${unit}` : 'of one step, of this batch on these chips'
  const are = beyond.length === runs.length || beyond.length > 1 ? 'are' : 'is'
  return `${which} ${are} ${times}, which no such constants explain, and nothing was set on ${beyond.length === 1 ? 'it' : 'them'}: ${are === 'is' ? 'is it' : 'are they'} ${asks}? measuredStepSeconds is in seconds`
}
