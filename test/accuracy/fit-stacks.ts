/**
 * Fits the constants of the stacks of fixtures/stacks to the rows marked `fit` of the software that they name, on the chips that they name,
 * and writes them there: `npm run fit`, of all or of those named. Those of dense models on their rows, then what layers with experts
 * take beside. Least mean absolute log error, one constant after another by steps of its range, in
 * ever smaller ones until none gains; a configuration counts once. Ranges are what measured kernels and the frameworks' own figures allow.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Assumptions } from '../../src/assumptions/assumptions.ts'
import type { StackRecord } from '../../src/assumptions/stack.ts'
import { groupedBy } from './compared.ts'
import { median, type PublishedRun, predictedUnder, publishedRuns } from './run.ts'
import { counts } from './stack-of.ts'

type Constants = Readonly<Record<string, number>>

/** Tried values, from the least to the most. */
const ranges: Readonly<Partial<Record<keyof Assumptions, readonly number[]>>> = {
  sustainedShare: steps(0.5, 1, 0.02),
  overlapCriticalPath: steps(0, 0.9, 0.1),
  elementwiseFactor: steps(1, 2, 0.1),
  expertLayerOverheadSeconds: steps(0, 1.2e-2, 2e-4),
}

const folder = new URL('../../fixtures/stacks/', import.meta.url)
const published = [...publishedRuns(), ...publishedRuns('expert-training')]
const rows = published.filter(({ split, leftOut }) => split === 'fit' && leftOut === undefined)
const routedRows = new Set(publishedRuns('expert-training').map(({ id }) => id))
const asked = process.argv.slice(2)
const files = readdirSync(folder).sort()

for (const file of files.filter((name) => asked.length === 0 || asked.includes(name.replace('.json', '')))) {
  const stack: StackRecord = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
  const own = rows.filter((row) => counts(stack, row, routedRows.has(row.id)))
  const configurations = [...groupedBy(own, ({ id, group }) => group ?? id).values()]
  // Of layers with experts one constant says much: it must not bend what dense models show.
  const [ofExperts, ofAll] = parted(stack.constants)
  const routed = configurations.filter(([run]) => run && routedRows.has(run.id))
  const dense = configurations.filter(([run]) => run && !routedRows.has(run.id))
  const first = leastOff(ofAll, {}, dense)
  const fitted = { ...first, ...leastOff(ofExperts, first, routed) }
  const before = errors({}, configurations)
  const after = errors(fitted, configurations)
  const figures = {
    configurations: configurations.length,
    measurements: own.length,
    medianErrorBefore: round(median(before)),
    medianError: round(median(after)),
  }
  writeFileSync(
    new URL(file, folder),
    `${JSON.stringify({ ...stack, constants: fitted, fit: { ...stack.fit, ...figures } }, null, 2)}\n`,
  )
  process.stdout.write(`${stack.name}: ${JSON.stringify(fitted)} ${JSON.stringify(figures)}\n`)
}

function parted(constants: Constants): readonly [ofExperts: Constants, others: Constants] {
  const { expertLayerOverheadSeconds, ...others } = constants
  return [expertLayerOverheadSeconds === undefined ? {} : { expertLayerOverheadSeconds }, others]
}

/** `held` beside them is not changed. */
function leastOff(
  start: Constants,
  held: Constants,
  configurations: readonly (readonly PublishedRun[])[],
): Constants {
  if (Object.keys(start).length === 0) return start
  let best = start
  let least = loss({ ...held, ...best }, configurations)
  const gains = (name: string, value: number): boolean => {
    const tried = { ...best, [name]: value }
    const own = loss({ ...held, ...tried }, configurations)
    if (own >= least - 1e-4) return false
    best = tried
    least = own
    return true
  }
  for (const stride of [8, 4, 2, 1]) {
    for (let gained = true; gained; ) {
      gained = false
      for (const name of Object.keys(start)) {
        const tried = ranges[name as keyof Assumptions] ?? []
        const at = nearest(tried, best[name] ?? 0)
        for (const next of [tried[at - stride], tried[at + stride]]) {
          if (next !== undefined && gains(name, next)) gained = true
        }
      }
    }
  }
  return best
}

function nearest(values: readonly number[], wanted: number): number {
  return values.reduce(
    (best, value, at) => (Math.abs(value - wanted) < Math.abs((values[best] ?? 0) - wanted) ? at : best),
    0,
  )
}

function loss(constants: Constants, configurations: readonly (readonly PublishedRun[])[]): number {
  const off = errors(constants, configurations)
  return off.reduce((sum, error) => sum + error, 0) / off.length
}

/** |log| of predicted over measured. */
function errors(
  constants: Constants,
  configurations: readonly (readonly PublishedRun[])[],
): readonly number[] {
  return configurations.flatMap((measured) => {
    const [run] = measured
    const plan = run ? predictedUnder(run, constants) : null
    if (!plan) return []
    const logs = measured.map(({ stepTimeSeconds }) => Math.log(stepTimeSeconds))
    return [Math.abs(Math.log(plan.stepTimeSeconds) - logs.reduce((sum, log) => sum + log, 0) / logs.length)]
  })
}

function steps(from: number, to: number, by: number): readonly number[] {
  const count = Math.round((to - from) / by)
  return Array.from({ length: count + 1 }, (_, at) => Number((from + at * by).toPrecision(6)))
}

function round(value: number): number {
  return Math.round(value * 1e4) / 1e4
}
