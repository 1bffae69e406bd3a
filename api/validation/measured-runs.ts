/** Validates the runs of a calibration, each as what it is: a plan as fields, or a launch file. Faults say which run is meant. */
import { ProblemError } from '../problems.ts'
import { type CalibrateRequest, calibrateOutline, measuredLaunch, measuredRun } from '../schemas/calibrate.ts'
import { isLaunch } from '../schemas/launch.ts'
import { launchValidated } from './pasted-back.ts'
import { validated } from './request-validation.ts'

export function calibrateAsked(body: unknown): CalibrateRequest {
  const { runs, ...asked } = validated(calibrateOutline, body)
  return {
    ...asked,
    runs: runs.map((run, at) =>
      inRun(at, run.name, () =>
        isLaunch(run) ? launchValidated(measuredLaunch, run) : validated(measuredRun, run),
      ),
    ),
  }
}

/** Points a run's faults to that run. */
export function inRun<Answer>(run: number, name: unknown, ask: () => Answer): Answer {
  try {
    return ask()
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const below = <Pointing extends { readonly pointer: string }>(one: Pointing): Pointing => ({
      ...one,
      pointer: `/runs/${run}${one.pointer}`,
    })
    const faults = error.faults.map(({ correction, ...fault }) => ({
      ...below(fault),
      ...(correction ? { correction: correction.map(below) } : {}),
    }))
    const called = typeof name === 'string' ? ` (${name.slice(0, 100)})` : ''
    throw new ProblemError(error.slug, `/runs/${run}${called}: ${error.message}`, faults, error.headers)
  }
}
