/** Predicted over measured step times of published training runs, by split and what the caller groups by. */
import { errorsOf } from './quantiles.ts'
import { type PublishedRun, predicted } from './run.ts'

interface Row {
  readonly group: string
  readonly ratio: number
  readonly fits: boolean
}

export function trainingTable(
  title: string,
  runs: readonly PublishedRun[],
  by: (run: PublishedRun) => string,
): string {
  const skipped: string[] = []
  const rows = configurations(runs).flatMap((measured): readonly Row[] => {
    const [run] = measured
    const plan = run ? predicted(run) : null
    if (!run || !plan) {
      skipped.push(...measured.map(({ id }) => id))
      return []
    }
    const stepTime = geometricMean(measured.map(({ stepTimeSeconds }) => stepTimeSeconds))
    return [{ group: `${run.split} ${by(run)}`, ratio: plan.stepTimeSeconds / stepTime, fits: plan.feasible }]
  })
  const groups = [...new Set(rows.map(({ group }) => group))].sort()
  const lines = groups.map((group) => {
    const own = rows.filter((row) => row.group === group)
    const { median, low, high, medianError } = errorsOf(own.map(({ ratio }) => ratio))
    const figures = [median, low, high, medianError].map((value) => value.toFixed(2).padStart(7)).join('')
    const fitting = `${own.filter(({ fits }) => fits).length} of ${own.length}`
    return `${group.padEnd(28)}${String(own.length).padStart(5)}${figures}${fitting.padStart(15)}`
  })
  const header = `${'split, group'.padEnd(28)} runs median    p10    p90  |err|  fit in memory`
  const left = skipped.length > 0 ? [`left out, the layout cannot be expressed: ${skipped.join(', ')}`] : []
  return [`${title}: predicted over measured step time`, header, ...lines, ...left, ''].join('\n')
}

/** One configuration measured again counts once. */
function configurations(runs: readonly PublishedRun[]): readonly (readonly PublishedRun[])[] {
  const byGroup = new Map<string, PublishedRun[]>()
  for (const run of runs) {
    const key = `${run.split} ${run.group ?? run.id}`
    byGroup.set(key, [...(byGroup.get(key) ?? []), run])
  }
  return [...byGroup.values()]
}

function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}
