/** What virtual stages of unlike lengths cost, held to a simulation of interleaved 1F1B in which nothing but what it needs keeps a chip waiting. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stageGroups } from '../../../src/cost/step/stages.ts'
import { layersOfChunk } from '../../../src/model/composition.ts'
import { forAll } from '../../law.ts'

interface Pipeline {
  /** By chip. */
  readonly layers: readonly number[]
  readonly virtualStages: number
  readonly microbatches: number
}

const forward = 1
const backward = 2

/** In layer times: when the last chip is done, each pass begun as soon as its chip is free and what it needs is there. */
function simulated({ layers, virtualStages, microbatches }: Pipeline): number {
  const stages = layers.length
  const passes = microbatches * virtualStages
  const last = stages * virtualStages - 1
  // Passes of a chip go through p microbatches of a chunk before they go on to the next chunk.
  const chunkOf = (pass: number) => Math.floor((pass % (last + 1)) / stages)
  const microbatchOf = (pass: number) => Math.floor(pass / (last + 1)) * stages + (pass % stages)
  const forwards = (pass: number) => ({ way: 'F', chunk: chunkOf(pass), microbatch: microbatchOf(pass) })
  const backwards = (pass: number) => ({
    ...{ way: 'B', chunk: virtualStages - 1 - chunkOf(pass), microbatch: microbatchOf(pass) },
  })
  const queues = layers.map((_, chip) => {
    const ahead = Math.min(2 * (stages - chip - 1) + (virtualStages - 1) * stages, passes)
    const ones = Array.from({ length: passes }, (_, pass) => pass)
    const pairs = ones.slice(ahead).flatMap((pass) => [forwards(pass), backwards(pass - ahead)])
    return [...ones.slice(0, ahead).map(forwards), ...pairs, ...ones.slice(passes - ahead).map(backwards)]
  })
  const ends = new Map<string, number>()
  const free = layers.map(() => 0)
  const at = layers.map(() => 0)
  for (let moved = true; moved; ) {
    moved = false
    for (const [chip, queue] of queues.entries()) {
      for (let next = queue[at[chip] ?? 0]; next; next = queue[at[chip] ?? 0]) {
        const { way, chunk, microbatch } = next
        const place = chunk * stages + chip
        const needed = way === 'F' ? `F ${place - 1}` : place === last ? `F ${place}` : `B ${place + 1}`
        const ready = way === 'F' && place === 0 ? 0 : ends.get(`${needed} ${microbatch}`)
        if (ready === undefined) break
        const length = layersOfChunk(layers[chip] ?? 0, virtualStages, chunk)
        const end = Math.max(free[chip] ?? 0, ready) + length * (way === 'F' ? forward : backward)
        ends.set(`${way} ${place} ${microbatch}`, end)
        free[chip] = end
        at[chip] = (at[chip] ?? 0) + 1
        moved = true
      }
    }
  }
  if (ends.size !== 2 * passes * stages) throw new Error('The simulated pipeline stands still')
  return Math.max(...free)
}

/** As a step is costed, in layer times. */
function costed({ layers, virtualStages, microbatches }: Pipeline): number {
  const groups = stageGroups(layers, { name: 'interleaved-1f1b', virtualStages }, microbatches)
  const perLayer = forward + backward
  const busiest = groups.map(
    (group) => (microbatches - 1 / virtualStages) * group.layers * group.slowdown * perLayer,
  )
  const all = layers.reduce((sum, own) => sum + own, 0) * perLayer
  return Math.max(...busiest) + all / virtualStages
}

/** A fraction of a layer more or less is a rounding. */
const nearly = 1e-9

const sizes = { stages: fc.integer({ min: 2, max: 10 }), virtualStages: fc.integer({ min: 2, max: 6 }) }

describe('interleaved 1F1B', () => {
  it('takes as long as it is costed where every chunk has as many layers', () => {
    const alike = fc.record({
      ...sizes,
      each: fc.integer({ min: 1, max: 3 }),
      turns: fc.integer({ min: 1, max: 4 }),
    })
    forAll(30, [alike], ({ stages, virtualStages, each, turns }) => {
      const layers = Array.from({ length: stages }, () => each * virtualStages)
      const pipeline = { layers, virtualStages, microbatches: turns * stages }
      expect(Math.abs(simulated(pipeline) - costed(pipeline))).toBeLessThan(nearly)
    })
  })

  it('takes no longer than it is costed where chunks of the inner chips differ, but for a layer a chip while it fills and drains', () => {
    const unlike = fc.record({
      ...sizes,
      more: fc.integer({ min: 1, max: 12 }),
      turns: fc.integer({ min: 1, max: 6 }),
    })
    forAll(60, [unlike], ({ stages, virtualStages, more, turns }) => {
      const inner = virtualStages + more
      const ends = virtualStages * Math.floor((inner - 1) / virtualStages)
      const layers = Array.from({ length: stages }, (_, at) => (at % (stages - 1) === 0 ? ends : inner))
      const pipeline = { layers, virtualStages, microbatches: turns * stages }
      const fill = stages * (forward + backward)
      expect(simulated(pipeline)).toBeLessThan(costed(pipeline) + fill + nearly)
    })
  })

  it('is a sixth slower with 4 layers in three chunks on 30 of 32 chips, which is in what it is costed at', () => {
    const layers = [3, ...Array.from({ length: 30 }, () => 4), 3]
    const pipeline = { layers, virtualStages: 3, microbatches: 256 }
    const all = 126 * (forward + backward)
    const inTime = (256 - 1 / 3) * 4 * (forward + backward) + all / 3
    expect(simulated(pipeline) / inTime).toBeGreaterThan(1.13)
    expect(costed(pipeline) / simulated(pipeline)).toBeGreaterThan(1)
    expect(costed(pipeline) / simulated(pipeline)).toBeLessThan(1.06)
  })
})
