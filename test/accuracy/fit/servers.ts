/**
 * Fits the constants of serving software (fixtures/stacks, `runs: inference`) to its rows marked `fit`, and writes them
 * there: a part of `npm run fit`. Minimises the mean absolute log error. No two of these rows are one configuration.
 * Constants that stand are kept where the rows cannot tell those found from them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { StackRecord } from '../../../src/assumptions/stack.ts'
import { servedErrors, servedRows } from '../inference/served-rows.ts'
import { rounded } from '../summary.ts'
import { median } from '../training/run.ts'
import { leastLoss, type Ranges, steps } from './least-loss.ts'
import { mean, toldApart } from './told-apart.ts'

/**
 * A layer of a decoder is at least four matmuls, attention and what stands between them, whose kernels take 3 to 9 us each on Hopper and
 * Blackwell however little they do (ai-dynamo/aiconfigurator @095f58a51c4c, fits of matmuls bound by HBM). NCCL's AllReduce takes 10, 14 and 21 us on 2, 4
 * and 8 A100 from a graph, and started by a host 17 to 28 us more (the same, of vLLM and SGLang): half of both is a gather's or a scatter's.
 */
const ranges: Ranges = {
  inferenceLayerOverheadSeconds: steps(2e-5, 1.2e-4, 2.5e-6),
  inferenceLayerHostSeconds: steps(0, 6e-4, 5e-5),
  inferenceStepOverheadSeconds: steps(5e-4, 3e-3, 2.5e-4),
  inferenceSequenceOverheadSeconds: steps(0, 4e-5, 1e-6),
  inferenceCollectiveSeconds: steps(7e-6, 2.5e-5, 1e-6),
  inferenceHalfBytesShare: steps(0.22, 1, 0.06),
}

const folder = new URL('../../../fixtures/stacks/', import.meta.url)

for (const file of readdirSync(folder).sort()) {
  const stack: StackRecord = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
  if (stack.runs !== 'inference') continue
  const rows = servedRows(stack)
  const found = leastLoss(stack.constants, ranges, (tried) => mean(servedErrors(rows, tried)))
  const constants = toldApart(servedErrors(rows, stack.constants), servedErrors(rows, found))
    ? found
    : stack.constants
  const figures = {
    configurations: rows.length,
    measurements: rows.length,
    medianErrorBefore: rounded(median(servedErrors(rows, {}))),
    medianError: rounded(median(servedErrors(rows, constants))),
  }
  const fitted = { ...stack, constants, fit: { ...stack.fit, ...figures } }
  writeFileSync(new URL(file, folder), `${JSON.stringify(fitted, null, 2)}\n`)
  process.stdout.write(`${stack.name}: ${JSON.stringify(constants)} ${JSON.stringify(figures)}\n`)
}
