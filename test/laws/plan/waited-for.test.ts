/** What the order of a sum leaves of a difference is no time that anything waits. */
import { expect, it } from 'vitest'
import { evaluate } from '../../../src/evaluate.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { solver } from '../../inference-problem.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

it('What is waited for within rounding is nothing, in figures and in words', () => {
  const asked = problem({
    ...{ model: 'llama-2-13b', chip: 'tpu-v5p', topology: [8, 16, 16], assumptions: 'book' },
    ...{ batchTokens: 3_145_728, sequenceLength: 4096 },
  })
  const plan = legal(evaluate(asked, { mesh: { ...unitMesh, data: 1024, tensor: 2 } }, solver)).plan
  expect(plan.timeSeconds.exposedCommunication).toBe(0)
  expect(plan.explanation.join(' ')).toContain('; 0 us, 0.0 % of the step, are waited for')
})
