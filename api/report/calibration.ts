/** Writes a calibration: the constants that were set, and how far off each run is. */
import { percent, secondsText, threeFigures } from '../../src/plan/explain/figures.ts'
import type { CalibrateBody } from '../schemas/calibrate.ts'
import { csv } from './csv.ts'
import { cell, markdownTable } from './markdown-table.ts'
import type { Report } from './report.ts'
import { table } from './table.ts'

export const calibrationReport: Report<CalibrateBody> = {
  text: calibrationText,
  markdown: calibrationMarkdown,
  csv: calibrationCsv,
}

function calibrationText({ assumptions, constants, error, runs, warnings }: CalibrateBody): string {
  const set = constants.map(({ name, assumed, value }) => [name, threeFigures(assumed), threeFigures(value)])
  const errors = Object.entries(error).map(([name, { median, worst }]) => [
    name === 'leftOut' ? 'left out' : name,
    percent(median),
    percent(worst),
  ])
  const each = runs.map((run) => [
    run.fits ? '' : '!',
    run.name,
    ...[run.measuredStepSeconds, run.assumedStepSeconds, run.stepSeconds].map(secondsText),
    secondsText(run.leftOutStepSeconds),
    run.plan,
  ])
  const parts = [
    table([['', 'assumed', 'set'], ...set]),
    table([['error', 'median', 'worst'], ...errors]),
    table([['', 'run', 'measured', 'assumed', 'fitted', 'left out', 'plan'], ...each]),
    warnings.map((warning) => `warning  ${warning}`),
    [`"assumptions": ${JSON.stringify(assumptions)}`],
  ]
  return `${parts
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

/** One line for each run. */
function calibrationCsv({ runs }: CalibrateBody): string {
  const columns = [
    'name',
    'plan',
    'measuredStepSeconds',
    'assumedStepSeconds',
    'stepSeconds',
    'leftOutStepSeconds',
    'fits',
  ] as const
  return csv([
    columns,
    ...runs.map((run) => columns.map((name) => (name === 'fits' ? String(run[name]) : run[name]))),
  ])
}

function calibrationMarkdown({ constants, runs, warnings }: CalibrateBody): string {
  const set = constants.map(({ name, assumed, value }) => [name, threeFigures(assumed), threeFigures(value)])
  const each = runs.map((run) => [
    cell(run.name),
    cell(run.plan),
    ...[run.measuredStepSeconds, run.assumedStepSeconds, run.stepSeconds, run.leftOutStepSeconds].map(
      secondsText,
    ),
  ])
  const parts = [
    markdownTable(['', 'assumed', 'set'], set),
    markdownTable(['run', 'plan', 'measured', 'assumed', 'set', 'left out'], each),
    ...warnings.map((warning) => `- ${warning}`),
  ]
  return `${parts.join('\n\n')}\n`
}
