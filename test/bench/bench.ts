/**
 * Measures how fast the service is, in tables: evaluations on one core, whole searches, solvers. Nothing is asserted,
 * because times depend on the machine and its load. docs/performance.md discusses them.
 */
import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { questionNames } from './questions.ts'
import { printTable, type Row } from './table.ts'

const whole =
  'whole answers in CPU time: the first of a process, and the median of 5 warm ones, as multiples of a fixed kernel'

const waiting =
  'whole answers over HTTP in wall time, nothing kept: the first of a service, and 20 warm ones; of idle machines alone'

const sliding =
  'whole answers over HTTP in wall time, each for another batch, length or rate: the first of a service, and 20 warm ones'

const tables = [
  { measure: 'searches', of: 'training', title: `Training, ${whole}` },
  { measure: 'searches', of: 'inference', title: `Inference, ${whole}` },
  { measure: 'searches', of: 'growth', title: `Growth with chips and with layers, ${whole}` },
  {
    measure: 'waits',
    of: 'training',
    title: `Training, ${waiting}`,
  },
  {
    measure: 'waits',
    of: 'inference',
    title: `Inference, ${waiting}`,
  },
  {
    measure: 'slides',
    of: 'training',
    title: `Training, ${sliding}`,
  },
  {
    measure: 'slides',
    of: 'inference',
    title: `Inference, ${sliding}`,
  },
  {
    measure: 'evaluations',
    of: 'training',
    title: 'Evaluations on one core, nothing pruned: the median of 7 warm runs over a sample of meshes',
  },
  {
    measure: 'policies',
    of: 'training',
    title: 'One memory policy, half of the way from leanest to fattest: the median of 15 warm calls',
  },
] as const

process.stdout.write(
  `Node ${process.version}, ${availableParallelism()} x ${cpus()[0]?.model ?? 'unknown'}, load ${load()}\n`,
)
for (const { measure, of, title } of tables) {
  printTable(
    title,
    questionNames[of]
      .filter((question) => asked(measure, question))
      .map((question) => measured(measure, question)),
  )
}
process.stdout.write(`\nload ${load()} at the end\n`)

/** All, or those whose name has the words of the command line: `npm run bench -- 8B`, `npm run bench -- waits Serve`. */
function asked(measure: string, question: string): boolean {
  return process.argv.slice(2).every((word) => `${measure} ${question}`.includes(word))
}

function measured(table: string, question: string): Row {
  const row = fileURLToPath(new URL('row.ts', import.meta.url))
  const output = execFileSync(process.execPath, [...process.execArgv, row, table, question], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(output)
}

/** Of the last minute: over the number of cores, the times are those of a machine that others use too. */
function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1)
}
