/** Predicted over measured times of what was published, training and inference: `npm run accuracy`. Asserts nothing. */
import { publishedInference } from './inference-row.ts'
import { predictedInference } from './inference-run.ts'
import { inferenceTable } from './inference-table.ts'
import { median, predicted, publishedRuns } from './run.ts'

interface Row {
  readonly group: string
  readonly ratio: number
  readonly fits: boolean
}

const skipped: string[] = []
const rows = publishedRuns().flatMap((run): readonly Row[] => {
  const plan = predicted(run)
  if (!plan) {
    skipped.push(run.id)
    return []
  }
  return [
    {
      group: `${run.split} ${run.chip}`,
      ratio: plan.stepTimeSeconds / run.stepTimeSeconds,
      fits: plan.feasible,
    },
  ]
})

const groups = [...new Set(rows.map(({ group }) => group))].sort()
process.stdout.write(
  'split chip          runs  predicted/measured: median  p10   p90   |error| median  fit in memory\n',
)
for (const group of groups) {
  const own = rows.filter((row) => row.group === group)
  const ratios = own.map(({ ratio }) => ratio).sort((a, b) => a - b)
  const quantile = (share: number) => ratios[Math.round(share * (ratios.length - 1))] ?? Number.NaN
  const error = median(ratios.map((ratio) => Math.abs(ratio - 1)))
  const figures = [median(ratios), quantile(0.1), quantile(0.9), error].map((value) =>
    value.toFixed(2).padStart(6),
  )
  const fitting = `${own.filter(({ fits }) => fits).length} of ${own.length}`
  process.stdout.write(
    `${group.padEnd(18)} ${String(own.length).padStart(5)} ${figures[0]?.padStart(27)} ${figures[1]} ${figures[2]} ${figures[3]?.padStart(12)}   ${fitting.padStart(14)}\n`,
  )
}
if (skipped.length > 0)
  process.stdout.write(`left out, the layout cannot be expressed: ${skipped.join(', ')}\n`)

const inference = publishedInference().map((row) => ({ row, comparison: predictedInference(row) }))
const dense = inference.filter(({ row }) => !row.mixtureOfExperts)
for (const [title, rows] of [
  ['inference, dense models, rows that set constants', dense.filter(({ row }) => row.split === 'fit')],
  ['inference, dense models, rows that set nothing', dense.filter(({ row }) => row.split === 'test')],
  ['inference, mixtures of experts', inference.filter(({ row }) => row.mixtureOfExperts)],
] as const) {
  process.stdout.write(`\n${inferenceTable(title, rows, 10)}`)
}
