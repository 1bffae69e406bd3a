/** What one replica is ruled out by, no mesh of such replicas is under: whatever their number, and however they are shared out over data and fsdp. */

import { describe, expect, it } from 'vitest'
import { createScale } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { divisorsOf } from '../../../src/hardware/cluster/divisors.ts'
import { meshFloors } from '../../../src/search/bound/floor.ts'
import { replicaHopes } from '../../../src/search/bound/replica-floor.ts'
import { sequencesEach } from '../../../src/search/layouts/choices.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { problem } from '../../problem.ts'

const replicas: readonly Partial<Mesh>[] = [
  { context: 3 },
  { context: 6 },
  { context: 8 },
  { context: 16 },
  { tensor: 2, context: 8 },
  { tensor: 4, context: 3 },
  { tensor: 8, context: 2 },
  { context: 8, pipeline: 2 },
]

describe('a replica alone', () => {
  it.each([
    1, 20,
  ])('is ruled out only where every mesh of such replicas is, with networks %d times as slow', (slower) => {
    const made = problem({
      model: {
        ...{ layers: 8, dModel: 4096, dFf: 16384, heads: 32, kvHeads: 32, headDim: 128, vocab: 32000 },
        ...{ gatedMlp: true, tiedEmbeddings: false },
      },
      ...{ chip: 'h100-sxm', chips: 384, batchTokens: 384 * 6144, sequenceLength: 6144 },
      network: { scaleOutBytesPerSecondPerChip: 5e10 / slower },
      assumptions: { basis: 'calibrated', frameworks: [] },
    })
    const { cluster } = made
    const model = costModel(made)
    const floors = meshFloors(model)
    let ruledOut = 0
    for (const one of replicas) {
      const replica: Mesh = { ...unitMesh, ...one }
      const count = cluster.chips / (replica.tensor * replica.context * replica.pipeline)
      const each = sequencesEach(made, count)
      const hopes = replicaHopes(model)
      for (let limit = 8; limit > 0.05; limit *= 0.97) {
        if (hopes.on(cluster)(replica, each, limit)) continue
        for (const fsdp of divisorsOf(count)) {
          const mesh = { ...replica, fsdp, data: count / fsdp }
          expect(floors.hopeful(mesh, createScale(), limit), `${JSON.stringify(mesh)} in ${limit}`).toBe(
            false,
          )
        }
        if (hopes.divided(replica, each, limit)) ruledOut++
      }
    }
    expect(ruledOut).toBeGreaterThan(10)
  })
})
