/** Predicted over measured times and memory of what was published, training and inference: `npm run accuracy`. Asserts nothing. */
import { publishedInference } from './inference-row.ts'
import { predictedInference } from './inference-run.ts'
import { inferenceTable } from './inference-table.ts'
import { publishedMemory } from './memory-run.ts'
import { memoryTable } from './memory-table.ts'
import { publishedRuns } from './run.ts'
import { trainingTable } from './training-table.ts'

const modelOf = ({ model }: { readonly model: unknown }) => (typeof model === 'string' ? model : 'other')
process.stdout.write(
  [
    trainingTable('training, dense models', publishedRuns(), ({ chip }) => chip),
    trainingTable('training, mixtures of experts', publishedRuns('expert-training'), modelOf),
    trainingTable('training, mixtures of experts', publishedRuns('expert-training'), ({ chip }) => chip),
    trainingTable('training, dense models, long sequences', publishedRuns('long-training'), ({ id }) => id),
    memoryTable(publishedMemory()),
  ].join('\n'),
)

const inference = publishedInference().map((row) => ({ row, comparison: predictedInference(row) }))
const dense = inference.filter(({ row }) => !row.mixtureOfExperts)
for (const [title, rows] of [
  ['inference, dense models, rows that set constants', dense.filter(({ row }) => row.split === 'fit')],
  ['inference, dense models, rows that set nothing', dense.filter(({ row }) => row.split === 'test')],
  ['inference, mixtures of experts', inference.filter(({ row }) => row.mixtureOfExperts)],
] as const) {
  process.stdout.write(`\n${inferenceTable(title, rows, 10)}`)
}
