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

function calibrationText(body: CalibrateBody): string {
  const { constants, errors, runs } = tables(body)
  const parts = [
    table([constants.head, ...constants.rows]),
    table([errors.head, ...errors.rows]),
    table([runs.head, ...runs.rows]),
    body.warnings.map((warning) => `warning  ${warning}`),
    [sentAlong(body)],
  ]
  return `${parts
    .filter(({ length }) => length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

function calibrationMarkdown(body: CalibrateBody): string {
  const { constants, errors, runs } = tables(body)
  const parts = [
    ...[constants, errors, runs].map(({ head, rows }) =>
      markdownTable(
        head,
        rows.map((row) => row.map(cell)),
      ),
    ),
    body.warnings.map((warning) => `- ${warning}`).join('\n'),
    `\`\`\`json\n${sentAlong(body)}\n\`\`\``,
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** What was set, how far off predictions are, and each run; one that does not fit is marked. */
function tables({
  constants,
  error,
  runs,
}: CalibrateBody): Readonly<Record<'constants' | 'errors' | 'runs', Table>> {
  return {
    constants: {
      head: ['', 'assumed', 'fitted'],
      rows: constants.map(({ name, assumed, value }) => [name, threeFigures(assumed), threeFigures(value)]),
    },
    errors: {
      head: ['error', 'median', 'worst'],
      rows: Object.entries(error).map(([name, { median, worst }]) => [
        name === 'leftOut' ? 'left out' : name,
        percent(median),
        percent(worst),
      ]),
    },
    runs: {
      head: ['', 'run', 'measured', 'assumed', 'fitted', 'left out', 'plan'],
      rows: runs.map((run) => [
        run.fits ? '' : '!',
        run.name,
        ...[run.measuredStepSeconds, run.assumedStepSeconds, run.stepSeconds].map(secondsText),
        secondsText(run.leftOutStepSeconds),
        run.plan,
      ]),
    },
  }
}

/** As a request has it, to be pasted into one. */
function sentAlong({ assumptions }: CalibrateBody): string {
  return `"assumptions": ${JSON.stringify(assumptions)}`
}

/** One line for each run; what is the same for all of them stands on each: the errors over the runs, and what to send along. */
function calibrationCsv({ runs, error, assumptions }: CalibrateBody): string {
  const columns = [
    'name',
    'plan',
    'measuredStepSeconds',
    'assumedStepSeconds',
    'stepSeconds',
    'leftOutStepSeconds',
    'fits',
  ] as const
  const errors = Object.entries(error).flatMap(([name, { median, worst }]) => [
    [`error.${name}.median`, median] as const,
    [`error.${name}.worst`, worst] as const,
  ])
  const same = [...errors, ['assumptions', JSON.stringify(assumptions)] as const]
  return csv([
    [...columns, ...same.map(([name]) => name)],
    ...runs.map((run) => [
      ...columns.map((name) => (name === 'fits' ? String(run[name]) : run[name])),
      ...same.map(([, value]) => value),
    ]),
  ])
}
