/**
 * Fits the constants of serving software (fixtures/stacks, `runs: inference`) to its rows marked `fit`, and writes them
 * there: a part of `npm run fit`. Minimises the mean absolute log error. No two of these rows are one configuration.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Assumptions } from '../../src/assumptions/assumptions.ts'
import type { StackRecord } from '../../src/assumptions/stack.ts'
import { predictedInference } from './inference-run.ts'
import { leastLoss, type Ranges, steps } from './least-loss.ts'
import { median } from './run.ts'
import { type ServedRow, servedRows } from './served-rows.ts'
import { rounded } from './summary.ts'

/**
 * A layer of a decoder is at least four matmuls, attention and what stands between them, whose kernels take 3 to 9 us each on Hopper and
 * Blackwell however little they do (ai-dynamo/aiconfigurator @095f58a51c4c, fits of matmuls bound by HBM). NCCL's AllReduce takes 10, 14 and 21 us on 2, 4
 * and 8 A100 from a graph, and started by a host 17 to 28 us more (the same, of vLLM and SGLang): half of both is a gather's or a scatter's.
 */
const ranges: Ranges = {
  inferenceLayerOverheadSeconds: steps(2e-5, 1.2e-4, 2.5e-6),
  inferenceStepOverheadSeconds: steps(5e-4, 3e-3, 2.5e-4),
  inferenceSequenceOverheadSeconds: steps(0, 4e-5, 1e-6),
  inferenceCollectiveSeconds: steps(7e-6, 2.5e-5, 1e-6),
  inferenceHalfBytesShare: steps(0.22, 1, 0.06),
}

const folder = new URL('../../fixtures/stacks/', import.meta.url)

for (const file of readdirSync(folder).sort()) {
  const stack: StackRecord = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
  if (stack.runs !== 'inference') continue
  const rows = servedRows(stack)
  const constants = leastLoss(stack.constants, ranges, (tried) => mean(errors(rows, tried)))
  const figures = {
    configurations: rows.length,
    measurements: rows.length,
    medianErrorBefore: rounded(median(errors(rows, {}))),
    medianError: rounded(median(errors(rows, constants))),
  }
  const fitted = { ...stack, constants, fit: { ...stack.fit, ...figures } }
  writeFileSync(new URL(file, folder), `${JSON.stringify(fitted, null, 2)}\n`)
  process.stdout.write(`${stack.name}: ${JSON.stringify(constants)} ${JSON.stringify(figures)}\n`)
}

/** |log| of predicted over measured. */
function errors(rows: readonly ServedRow[], constants: Partial<Assumptions>): readonly number[] {
  return rows.flatMap(({ row, measured }) => {
    const found = predictedInference(row, constants)
    return found.status === 'compared' ? [Math.abs(Math.log(found.predicted / measured))] : []
  })
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
