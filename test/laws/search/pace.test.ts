/** What replicas of the same inner axes are ruled out by whatever their number and stages, no mesh of them is under on any part with so many chips. */

import { expect, it } from 'vitest'
import { createScale } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { onCluster } from '../../../src/cost/posed.ts'
import { divisorsOf } from '../../../src/hardware/cluster/divisors.ts'
import { fewerChips } from '../../../src/hardware/cluster/fewer-chips.ts'
import type { Problem } from '../../../src/problem.ts'
import { meshFloors } from '../../../src/search/bound/floor.ts'
import { nothingKnown } from '../../../src/search/bound/known-before.ts'
import { pacedOn } from '../../../src/search/bound/pace.ts'
import { sequencesEach } from '../../../src/search/layouts/choices.ts'
import { axes, type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { problem } from '../../problem.ts'

const inner: readonly Partial<Mesh>[] = [
  {},
  { tensor: 3 },
  { tensor: 4 },
  { tensor: 6 },
  { tensor: 8 },
  { context: 5 },
  { context: 8 },
  { tensor: 2, context: 3 },
  { tensor: 6, context: 2 },
]

it.each([
  { model: 'llama-3-8b', slower: 1 },
  { model: 'llama-3-8b', slower: 0.05 },
  { model: 'llama-3-8b', slower: 20 },
  { model: 'mixtral-8x7b', slower: 1 },
])('rules out $model only where every mesh is, between nodes $slower times as slow', ({ model, slower }) => {
  const made = ofNodes(
    problem({
      ...{ model, chip: 'h100-sxm', chips: 48, batchTokens: 40 * 4096, sequenceLength: 4096 },
      network: { scaleOutBytesPerSecondPerChip: 5e10 / slower },
      assumptions: { basis: 'calibrated', frameworks: [] },
    }),
  )
  const { cluster } = made
  const fewest = 24
  const whole = costModel(made)
  const paced = pacedOn(whole, nothingKnown(), fewest)
  const experts = made.model.experts ? [1, 2, 4] : [1]
  let [held, ruledOut] = [0, 0]
  for (const part of [cluster, ...fewerChips(cluster, (chips) => chips >= fewest)]) {
    const floors = meshFloors(onCluster(whole, part))
    for (const one of inner.flatMap((shape) => experts.map((expert) => ({ ...shape, expert })))) {
      const unpiped: Mesh = { ...unitMesh, ...one }
      for (const pipeline of [1, 2, 4]) {
        const count = part.chips / (unpiped.tensor * unpiped.context * pipeline)
        if (count % unpiped.expert !== 0) continue
        const each = sequencesEach(made, count)
        const may = (limit: number) => paced(unpiped, pipeline, each, limit)
        for (const fsdp of divisorsOf(count / unpiped.expert)) {
          const mesh = { ...unpiped, pipeline, fsdp, data: count / unpiped.expert / fsdp }
          const floor = floors.of(mesh, createScale())
          if (!Number.isFinite(floor)) continue
          expect(may(floor), `${axes.map((axis) => mesh[axis])} on ${part.chips}`).toBe(true)
          held++
          if (!may(0.5 * floor)) ruledOut++
        }
      }
    }
  }
  expect(held).toBeGreaterThan(50)
  expect(ruledOut).toBeGreaterThan(50)
})

/** With nothing between nodes and what joins all of them, so that few chips fill it. */
function ofNodes(made: Problem): Problem {
  const { network } = made.cluster
  if (network.kind === 'torus') throw new RangeError('H100 lie behind switches')
  const tiers = network.tiers.filter((_, level) => level !== 1)
  return { ...made, cluster: { ...made.cluster, network: { ...network, tiers } } }
}
