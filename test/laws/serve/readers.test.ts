/** Groups of chips that read prompts of their own: each has a prompt in the deployment that is found, and as many as it may take. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateServe } from '../../../src/evaluate-serve.ts'
import { offersOf } from '../../../src/inference/layout/servable.ts'
import { inferenceModel } from '../../../src/inference/model.ts'
import { servables } from '../../../src/launch/servable.ts'
import type { InstanceSize } from '../../../src/modes/serve/instance.ts'
import { instanceSize } from '../../../src/modes/serve/instance-size.ts'
import { instanceClusters } from '../../../src/modes/serve/pool.ts'
import type { ServeSketch } from '../../../src/plan-sketch.ts'
import type { ServeProblem, ServeWorkload } from '../../../src/problem.ts'
import { serve } from '../../../src/serve.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { inferenceProblem, solver } from '../../inference-problem.ts'
import { forAll } from '../../law.ts'
import { legal } from '../../legal.ts'
import { smallDense } from '../../small-model.ts'

const fp8 = { weights: 'fp8', compute: 'fp8' } as const
const workload: ServeWorkload = {
  ...{ mode: 'serve', promptLength: 4000, outputLength: 1000, cachedPrefixLength: 0, disaggregated: false },
}

describe('data-parallel attention of DeepSeek-R1 on eight chips', () => {
  const problem: ServeProblem = inferenceProblem({
    ...{ model: 'deepseek-r1', chip: 'h200-sxm', chips: 8, workload, precision: fp8 },
    assumptions: { basis: 'calibrated', frameworks: ['vllm'] },
  })
  const written = (prefill: ServeSketch['prefill'] = {}) => {
    const attention = { attention: 'copied-all/batch/absorbed', mlp: 'copied-all', unembedding: 'copied-all' }
    const layout = { ...attention, experts: 'copied-all/spread' }
    const generate = { mesh: { ...unitMesh, tensor: 8 }, layout }
    return legal(evaluateServe(problem, { disaggregated: false, generate, prefill }, solver)).plan
  }

  it('reads a prompt on each chip, if a plan does not say how many', () => {
    const open = written()
    expect(open.prefill.batchSequences % 8).toBe(0)
    expect(open.requestsPerSecond).toBeGreaterThan(1.4 * written({ batchSequences: 2 }).requestsPerSecond)
  })

  it('is found, at no lower rate than with any number of prompts that is written', () => {
    const [best] = serve(problem, solver).plans
    for (const batchSequences of [1, 2, 4, 8, 16]) {
      const { requestsPerSecond } = written({ batchSequences })
      expect(best?.requestsPerSecond).toBeGreaterThanOrEqual(requestsPerSecond * (1 - 1e-9))
    }
  })
})

const smallMixture = {
  ...smallDense,
  experts: { experts: 16, activeExperts: 2, sharedExperts: 0, dFfExpert: 2048, denseLayers: 0, every: 1 },
}

const questions = fc.record({
  chips: fc.constantFrom(2, 4, 6),
  launched: fc.boolean(),
  promptLength: fc.constantFrom(900, 3000, 9000),
})

/** Chips that have other sequences than each other while attention runs, by what each layout of caches shares out. */
const sequencesOver: Readonly<Record<string, (mesh: Mesh) => number>> = {
  heads: () => 1,
  sequence: () => 1,
  batch: ({ tensor, tensor2 }) => tensor * tensor2,
  'heads-batch': ({ tensor2 }) => tensor2,
}

/** Every mesh with every layout of attention, reading one prompt for each of its groups, or as many as 8192 tokens are. */
function* readings(size: InstanceSize, promptLength: number) {
  const { part, bench } = size
  const { allowed } = part.prefillPhase(size.cluster.chips, () => false).meshes
  for (const mesh of allowed) {
    for (const offered of offersOf(bench, mesh, 'prefill', 1)) {
      for (const attention of offered.flat().filter(({ cache }) => cache !== null)) {
        const groups = mesh.data * mesh.expert * (sequencesOver[attention.cache ?? '']?.(mesh) ?? 1)
        const alone = offered.map((options) => (options.includes(attention) ? [attention] : options))
        for (let each = 1; each === 1 || each * promptLength <= 8192; each *= 2) {
          yield { mesh, prompts: groups * each, offers: [alone] }
        }
      }
    }
  }
}

describe('instances that read prompts', () => {
  it('have for each group as many prompts as a pass of its own may have, and take no longer than any layout', () => {
    let grouped = 0
    forAll(6, [questions], ({ chips, launched, promptLength }) => {
      const asked: ServeProblem = inferenceProblem({
        ...{ model: smallMixture, chip: 'h100-sxm', chips, memoryFraction: 0.5 },
        workload: { ...workload, promptLength },
      })
      const parts = instanceClusters(asked.cluster)
      const pooled = inferenceModel(asked)
      for (const servable of (launched ? servables(asked, parts) : null) ?? [null]) {
        for (const cluster of parts) {
          const size = instanceSize(asked, { ...pooled, servable }, cluster)
          const least = new Map<number, number>()
          for (const { prompts, seconds } of size.prefills()) {
            least.set(prompts, Math.min(seconds, least.get(prompts) ?? Number.POSITIVE_INFINITY))
          }
          for (const { mesh, prompts, offers } of readings(size, promptLength)) {
            const placements = size.part.placements(mesh)
            const best = size.part.bestPrefill({ mesh, prompts, placements, offers }, () => false)
            if (!best) continue
            if (prompts * promptLength > 8192) grouped++
            expect(least.get(prompts)).toBeLessThanOrEqual(best.seconds * (1 + 1e-9))
          }
        }
      }
    })
    expect(grouped).toBeGreaterThan(100)
  })
})
