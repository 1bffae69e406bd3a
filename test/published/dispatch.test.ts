/**
 * Dispatch and combine of single layers against DeepEP's own measurements on H800 (deepseek-ai/DeepEP @0297fc80,
 * docs/legacy.md, "Performance"): 7168 wide, 8 experts a token, fp8 on the way there and bf16 on the way back. Low-latency
 * kernels with 128 tokens on a chip, as in generation. Groups of 8 and 16 chips, where most goes over NVLink, are left out:
 * those kernels send over the network between nodes even then.
 */
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../src/evaluate-inference.ts'
import type { CollectiveLine } from '../../src/plan/plan.ts'
import { unitMesh } from '../../src/sharding/axis.ts'
import { generation, inferenceProblem, solver } from '../inference-problem.ts'
import { legal } from '../legal.ts'

const lowLatency = [
  { chips: 32, dispatch: 155e-6, combine: 273e-6 },
  { chips: 64, dispatch: 173e-6, combine: 314e-6 },
  { chips: 128, dispatch: 192e-6, combine: 369e-6 },
  { chips: 256, dispatch: 194e-6, combine: 360e-6 },
]

function routed(chips: number): readonly CollectiveLine[] {
  const problem = inferenceProblem({
    ...{ model: 'deepseek-v3', chip: 'h800-sxm', chips },
    ...{ workload: generation(128 * chips, 1000), precision: { weights: 'fp8', compute: 'fp8' } },
  })
  return legal(
    evaluateInference(problem, { mesh: { ...unitMesh, expert: chips }, layout: {} }, solver),
  ).plan.collectives.filter(({ op }) => op === 'AllToAll')
}

describe('low-latency kernels of DeepEP', () => {
  it.each(lowLatency)('take as long on $chips chips, within a fifth', ({ chips, dispatch, combine }) => {
    const [there, back] = routed(chips).map(({ seconds, count }) => seconds / count)
    expect(Math.abs((there ?? 0) / dispatch - 1)).toBeLessThan(0.2)
    expect(Math.abs((back ?? 0) / combine - 1)).toBeLessThan(0.2)
  })
})
