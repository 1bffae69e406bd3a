/** Turns a request of /calibrate into measured runs, and the constants found into the body of the answer. */
import {
  type CalibratedRun,
  type Calibration,
  calibrate,
  isBeyondReach,
  type MeasuredRun,
  usualConstants,
} from '../../src/calibrate.ts'
import type { Reassumable } from '../../src/cost/reassumed.ts'
import type { Stop } from '../../src/patience.ts'
import { percent } from '../../src/plan/explain/figures.ts'
import type { Catalogue } from '../catalogue.ts'
import { faultyValue, ProblemError } from '../problems.ts'
import { timedOut } from '../queue/deadline.ts'
import type { CalibrateBody, CalibrateRequest } from '../schemas/calibrate.ts'
import { basisOf } from '../translate/assumptions.ts'
import { problemOf } from '../translate/problem.ts'
import { trialOf } from '../translate/trial.ts'

type Run = CalibrateRequest['runs'][number]

export function calibrateBody(request: CalibrateRequest, catalogue: Catalogue, stop: Stop): CalibrateBody {
  const names = request.constants ?? usualConstants(request.runs.length)
  const runs = request.runs.map((run, at) => pointedAt(at, () => measuredRun(run, catalogue)))
  refuseUnlike(runs, names)
  const found = calibrate(runs, names, stop)
  if (!found) throw timedOut(request.timeoutMs, 'the runs were not costed')
  if ('illegal' in found) {
    const faults = found.illegal.map((fault) => ({ ...fault, pointer: `/runs/${found.run}${fault.pointer}` }))
    throw new ProblemError('illegal-plan', faults[0]?.detail ?? 'The plan is illegal.', faults)
  }
  return { assumptions: toSend(request, found), ...found, warnings: warningsOf(found) }
}

/** Points a run's faults to that run. */
function pointedAt<Answer>(run: number, ask: () => Answer): Answer {
  try {
    return ask()
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const faults = error.faults.map((fault) => ({ ...fault, pointer: `/runs/${run}${fault.pointer}` }))
    throw new ProblemError(error.slug, `/runs/${run}: ${error.message}`, faults, error.headers)
  }
}

function measuredRun(run: Run, catalogue: Catalogue): MeasuredRun {
  const { measuredStepSeconds, ...request } = run
  const { warnings: _told, ...question } = problemOf(request, catalogue)
  const trial = trialOf(question, request.plan)
  if (trial.mode !== 'train') {
    const detail = 'constants are set on runs of training alone'
    throw faultyValue('impossible-combination', { pointer: '/workload/mode', detail })
  }
  return { problem: trial.problem, sketch: trial.sketch, measuredStepSeconds }
}

/** All runs need the same kind of chip, and the same assumed values of the constants. */
function refuseUnlike(runs: readonly MeasuredRun[], names: readonly Reassumable[]): void {
  const [first] = runs
  for (const [at, { problem }] of runs.entries()) {
    const { chip } = problem.cluster
    if (chip.name !== first?.problem.cluster.chip.name) {
      const detail = `one set of constants is of one kind of chip: this is ${chip.name}, the first run ${first?.problem.cluster.chip.name}`
      throw faultyValue('impossible-combination', { pointer: `/runs/${at}/hardware/chip`, detail })
    }
    const other = names.find((name) => problem.assumptions[name] !== first.problem.assumptions[name])
    if (other === undefined) continue
    const detail = `${other} is assumed to be ${problem.assumptions[other]}, of the first run ${first.problem.assumptions[other]}`
    throw faultyValue('impossible-combination', { pointer: `/runs/${at}/assumptions`, detail })
  }
}

function toSend({ runs }: CalibrateRequest, { constants }: Calibration): CalibrateBody['assumptions'] {
  const said = runs[0]?.assumptions ?? 'calibrated'
  const own = typeof said === 'string' ? { basis: basisOf(said) } : said
  return { ...own, ...Object.fromEntries(constants.map(({ name, value }) => [name, value])) }
}

function warningsOf({ constants, error, runs }: Calibration): readonly string[] {
  const beyond = runs.filter(isBeyondReach)
  const odd = runs.flatMap((run, at) => (run.fits || isBeyondReach(run) ? [] : [named(run, at)]))
  const silent = constants.filter(({ spreadLeft }) => spreadLeft > 0.9)
  const same = silent.filter(({ value, assumed }) => value === assumed).map(({ name }) => name)
  const near = silent.filter(({ value, assumed }) => value !== assumed).map(({ name }) => name)
  return [
    ...(beyond.length > 0 ? [beyondText(runs, beyond)] : []),
    ...(odd.length > 0
      ? [
          `${odd.join(', ')} ${odd.length === 1 ? 'is' : 'are'} far from what the others say: look at how it was measured, or at what its request leaves out`,
        ]
      : []),
    ...(same.length > 0 ? [`these runs say nothing of ${same.join(', ')}: it stays as it was assumed`] : []),
    ...(near.length > 0
      ? [`these runs say little of ${near.join(', ')}: it stays close to what was assumed`]
      : []),
    ...(runs.length > 1 && error.leftOut.median > error.assumed.median
      ? [
          `a run that is left out is predicted worse with what the others set (${percent(error.leftOut.median)}) than as assumed (${percent(error.assumed.median)}): what is off is not what was set`,
        ]
      : []),
  ]
}

/** Counted from 1, as the table does. */
function named({ plan }: CalibratedRun, at: number): string {
  return `run ${at + 1} (${plan})`
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
function beyondText(runs: readonly CalibratedRun[], beyond: readonly CalibratedRun[]): string {
  const factors = beyond.map((run) => run.measuredStepSeconds / run.stepSeconds).sort((a, b) => a - b)
  const middle = factors[Math.floor(factors.length / 2)] ?? 1
  const unit = mistakenUnits.find(([times]) => Math.abs(Math.log(middle / times)) < Math.log(2))?.[1]
  const which =
    beyond.length === runs.length
      ? 'the measured times'
      : runs.flatMap((run, at) => (isBeyondReach(run) ? [named(run, at)] : [])).join(', ')
  const [off, of] = middle > 1 ? [middle, 'times'] : [1 / middle, 'times less than']
  const times = `about ${Number(off.toPrecision(off < 10 ? 2 : 1)).toLocaleString('en')} ${of} what is predicted`
  const asks = unit ? `in ${unit}` : 'of one step, of this batch on these chips'
  const are = beyond.length === runs.length || beyond.length > 1 ? 'are' : 'is'
  return `${which} ${are} ${times}, which no such constants explain, and nothing was set on ${beyond.length === 1 ? 'it' : 'them'}: ${are === 'is' ? 'is it' : 'are they'} ${asks}? measuredStepSeconds is in seconds`
}
