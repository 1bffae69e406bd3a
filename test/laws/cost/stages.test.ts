import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  evenLastLayers,
  leastAtEnds,
  mostVirtualStages,
  stageGroups,
  stageLayers,
} from '../../../src/cost/step/stages.ts'
import { holeTime } from '../../../src/cost/step/step.ts'
import { layersOfChunk } from '../../../src/model/composition.ts'
import { inFlight, type Schedule } from '../../../src/recipe/schedule.ts'
import { law } from '../../law.ts'

/** All ways to write `total` as an ordered sum of so many numbers, each at least `least`. */
function compositions(total: number, parts: number, least: number): readonly (readonly number[])[] {
  if (parts === 1) return total >= least ? [[total]] : []
  const firsts = Array.from({ length: Math.max(0, total - least + 1) }, (_, at) => at + least)
  return firsts.flatMap((first) =>
    compositions(total - first, parts - 1, least).map((rest) => [first, ...rest]),
  )
}

const splits = fc.record({
  layers: fc.integer({ min: 1, max: 11 }),
  stages: fc.integer({ min: 2, max: 4 }),
  least: fc.integer({ min: 1, max: 2 }),
  head: fc.constantFrom(0, 0.2, 0.66, 1, 1.5, 3.3),
})

/** The most even cut, the head on the last stage worth so many layers. */
function evenly(layers: number, stages: number, least: number, head: number): readonly number[] | null {
  const last = evenLastLayers(layers, stages, least, head)
  return last === null ? null : stageLayers(layers, stages, least, last)
}

describe('layers on pipeline stages', () => {
  law(
    'take as short on the longest stage as any way to lay them does, where they are most even',
    500,
    [splits],
    ({ layers, stages, least, head }) => {
      const longest = (counts: readonly number[]) =>
        Math.max(...counts.map((count, stage) => count + (stage === stages - 1 ? head : 0)))
      const counts = evenly(layers, stages, least, head)
      const ways = compositions(layers, stages, least)
      expect(counts === null).toBe(ways.length === 0)
      if (counts) expect(longest(counts)).toBeCloseTo(Math.min(...ways.map(longest)), 9)
    },
  )

  law(
    'are all there, as many on the last as asked for, and of the others the first have the fewest',
    500,
    [splits, fc.integer({ min: 1, max: 11 })],
    ({ layers, stages, least }, last) => {
      const counts = stageLayers(layers, stages, least, last)
      const possible = last >= least && layers - last >= (stages - 1) * least
      expect(counts === null).toBe(!possible)
      if (!counts) return
      const others = counts.slice(0, -1)
      expect(counts.length).toBe(stages)
      expect(counts.at(-1)).toBe(last)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(layers)
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(least)
      expect(others).toEqual([...others].sort((a, b) => a - b))
      expect(Math.max(...others) - Math.min(...others)).toBeLessThanOrEqual(1)
    },
  )

  it('of Llama 3 405B on 16 stages are one fewer at the ends, where the loss is worth two thirds of a layer', () => {
    expect(evenly(126, 16, 1, 0.66)).toEqual([7, ...new Array<number>(14).fill(8), 7])
  })

  it('are even where they divide and the ends cost nothing', () => {
    expect(evenly(96, 8, 1, 0)).toEqual(new Array<number>(8).fill(12))
  })

  it('may be one fewer than virtual stages at the ends, where embedding and loss are chunks of their own', () => {
    const cut = [7, ...new Array<number>(14).fill(8), 7]
    const ends = leastAtEnds(8)
    expect(stageLayers(126, 16, 8, evenLastLayers(126, 16, 8, 0.66, ends) ?? 0, ends)).toEqual(cut)
    expect(mostVirtualStages(126, 16)).toBe(8)
    expect(evenLastLayers(125, 16, 8, 0.66, ends)).toBeNull()
    const firstChunks = cut.map((layers, stage) => layersOfChunk(layers, 8, 0, stage))
    const lastChunks = cut.map((layers, stage) => layersOfChunk(layers, 8, 7, stage))
    expect(firstChunks).toEqual([0, ...new Array<number>(15).fill(1)])
    expect(lastChunks).toEqual([...new Array<number>(15).fill(1), 0])
  })

  law(
    'are all in one of its chunks',
    100,
    [fc.integer({ min: 1, max: 9 }), fc.nat(30), fc.constantFrom(undefined, 0, 3)],
    (v, more, stage) => {
      const layers = leastAtEnds(v) + more
      const chunks = Array.from({ length: v }, (_, chunk) => layersOfChunk(layers, v, chunk, stage))
      expect(chunks.reduce((sum, own) => sum + own, 0)).toBe(layers)
      expect(Math.max(...chunks) - Math.min(...chunks)).toBeLessThanOrEqual(1)
    },
  )

  it('are none where a stage would have fewer than its virtual stages', () => {
    expect(evenly(7, 4, 2, 0)).toBeNull()
    expect(evenly(8, 4, 2, 0)).toEqual([2, 2, 2, 2])
  })

  law(
    'fall into groups of stages that are alike, each as full as its first',
    100,
    [
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 8 }),
    ],
    (counts, microbatches) => {
      const schedule: Schedule = { name: '1f1b', virtualStages: 1 }
      const groups = stageGroups(counts, schedule, microbatches)
      const unrolled = groups.flatMap(({ layers, stages }) => new Array<number>(stages).fill(layers))
      expect(unrolled).toEqual(counts)
      expect(groups.filter(({ first }) => first).map(({ index, stages }) => [index, stages])).toEqual([
        [0, 1],
      ])
      expect(groups.filter(({ last }) => last).map(({ index, stages }) => [index, stages])).toEqual([
        [counts.length - 1, 1],
      ])
      for (const { index, inFlight: most } of groups) {
        expect(most).toBe(inFlight(schedule, index, counts.length, microbatches))
      }
    },
  )
})

type Work = { readonly kind: 'F' | 'B'; readonly microbatch: number }

/** The order of a stage's work: forwards until the pipeline is full, then one forward, one backward. */
function oneForwardOneBackward(stage: number, stages: number, microbatches: number): readonly Work[] {
  const warmup = Math.min(microbatches, stages - stage - 1)
  const work: Work[] = []
  for (let k = 0; k < warmup; k++) work.push({ kind: 'F', microbatch: k })
  for (let k = 0; k < microbatches; k++) {
    if (k + warmup < microbatches) work.push({ kind: 'F', microbatch: k + warmup })
    work.push({ kind: 'B', microbatch: k })
  }
  return work
}

function allForwardsFirst(_stage: number, _stages: number, microbatches: number): readonly Work[] {
  const every = (kind: Work['kind']) =>
    Array.from({ length: microbatches }, (_, microbatch) => ({ kind, microbatch }))
  return [...every('F'), ...every('B')]
}

/** When the last stage is done, each piece of work starting once its stage and what it needs are ready. */
function makespan(
  order: typeof oneForwardOneBackward,
  forward: readonly number[],
  microbatches: number,
): number {
  const stages = forward.length
  const queues = forward.map((_, stage) => [...order(stage, stages, microbatches)])
  const ends = new Map<string, number>()
  const free = new Array<number>(stages).fill(0)
  while (queues.some((queue) => queue.length > 0)) {
    for (const [stage, queue] of queues.entries()) {
      const [next] = queue
      if (!next) continue
      const from = next.kind === 'F' ? stage - 1 : stage + 1
      const own = next.kind === 'B' ? ends.get(`F ${stage} ${next.microbatch}`) : 0
      const other = from < 0 || from >= stages ? own : ends.get(`${next.kind} ${from} ${next.microbatch}`)
      if (own === undefined || other === undefined) continue
      const time = (forward[stage] ?? 0) * (next.kind === 'F' ? 1 : 2)
      const end = Math.max(free[stage] ?? 0, own, other) + time
      ends.set(`${next.kind} ${stage} ${next.microbatch}`, end)
      free[stage] = end
      queue.shift()
    }
  }
  return Math.max(...free)
}

/** The most microbatches that a stage has run forwards and not yet backwards. */
function mostHeld(work: readonly Work[]): number {
  let held = 0
  return work.reduce((most, { kind }) => {
    held += kind === 'F' ? 1 : -1
    return Math.max(most, held)
  }, 0)
}

/** What a step takes beyond the work of a stage of `own` per microbatch. */
function bubbleTime(own: number, total: number, stages: number, schedule: Schedule, microbatches: number) {
  return (total - own) / schedule.virtualStages + holeTime(own, stages, schedule, microbatches)
}

const shapes = fc.record({
  stages: fc.integer({ min: 2, max: 6 }),
  microbatches: fc.integer({ min: 1, max: 12 }),
})

describe('a pipeline schedule', () => {
  it('has the holes of interleaving that a simulation has where stages do not divide microbatches', () => {
    for (const [stages, virtualStages, microbatches] of [
      [4, 2, 6],
      [4, 3, 9],
      [2, 4, 7],
      [4, 2, 3],
      [4, 2, 8],
    ] as const) {
      const filled = microbatches + (stages - 1) / virtualStages
      const holes = interleavedSpan(stages, virtualStages, microbatches) - filled
      expect(holeTime(1, stages, { name: 'interleaved-1f1b', virtualStages }, microbatches)).toBeCloseTo(
        holes,
        9,
      )
    }
  })

  law(
    'of equal stages waits (p-1)/m of the work, (p-1)/(v m) where stages are virtual',
    100,
    [shapes, fc.integer({ min: 1, max: 4 })],
    ({ stages, microbatches }, virtualStages) => {
      const whole = stages * Math.ceil(microbatches / stages)
      const m = virtualStages > 1 ? whole : microbatches
      const bubble = bubbleTime(3, 3 * stages, stages, { name: '1f1b', virtualStages }, m)
      expect(bubble / (3 * m)).toBeCloseTo((stages - 1) / (virtualStages * m), 12)
    },
  )

  it('of one stage waits for nothing', () => {
    expect(bubbleTime(3, 3, 1, { name: 'none', virtualStages: 1 }, 4)).toBe(0)
  })

  law(
    'takes the time that running it takes, where stages are equal',
    100,
    [shapes],
    ({ stages, microbatches }) => {
      const forward = new Array<number>(stages).fill(1)
      const bubble = bubbleTime(3, 3 * stages, stages, { name: '1f1b', virtualStages: 1 }, microbatches)
      const said = microbatches * 3 + bubble
      expect(makespan(oneForwardOneBackward, forward, microbatches)).toBe(said)
      expect(makespan(allForwardsFirst, forward, microbatches)).toBe(said)
    },
  )

  law(
    'takes no longer than it says where stages differ, and no less than its longest stage works',
    100,
    [
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 6 }),
      fc.integer({ min: 1, max: 12 }),
    ],
    (forward, microbatches) => {
      const times = forward.map((time) => 3 * time)
      const longest = Math.max(...times)
      const total = times.reduce((sum, time) => sum + time, 0)
      const schedule: Schedule = { name: 'gpipe', virtualStages: 1 }
      const bubble = bubbleTime(longest, total, times.length, schedule, microbatches)
      const ran = makespan(allForwardsFirst, forward, microbatches)
      expect(ran).toBeLessThanOrEqual(microbatches * longest + bubble)
      expect(ran).toBeGreaterThanOrEqual(microbatches * longest)
    },
  )

  law(
    'holds as many microbatches on each stage as running it does',
    100,
    [shapes],
    ({ stages, microbatches }) => {
      for (let stage = 0; stage < stages; stage++) {
        const held = (name: Schedule['name']) =>
          inFlight({ name, virtualStages: 1 }, stage, stages, microbatches)
        expect(held('1f1b')).toBe(mostHeld(oneForwardOneBackward(stage, stages, microbatches)))
        expect(held('gpipe')).toBe(mostHeld(allForwardsFirst(stage, stages, microbatches)))
      }
    },
  )

  it('with virtual stages holds 1 + (p-1)/(pv) times the stages on the first, in units of its layers', () => {
    for (const [p, v] of [
      [2, 2],
      [4, 2],
      [8, 3],
    ] as const) {
      const first = inFlight({ name: 'interleaved-1f1b', virtualStages: v }, 0, p, 100)
      expect(first).toBeCloseTo(p * (1 + (p - 1) / (p * v)), 12)
    }
  })

  law(
    'with virtual stages never holds more microbatches than there are',
    100,
    [shapes, fc.integer({ min: 2, max: 8 })],
    ({ stages, microbatches }, virtualStages) => {
      for (let stage = 0; stage < stages; stage++) {
        const held = inFlight({ name: 'interleaved-1f1b', virtualStages }, stage, stages, microbatches)
        expect(held).toBeLessThanOrEqual(microbatches)
        expect(held).toBeGreaterThan(0)
      }
    },
  )
})

/**
 * Time until the last stage has run its last chunk forwards, in times of a whole stage: rounds of as many microbatches
 * as there are stages, and in a round one chunk after another; a chunk follows the one before it in the model.
 */
function interleavedSpan(stages: number, chunks: number, microbatches: number): number {
  const done = new Map<string, number>()
  const free = new Array<number>(stages).fill(0)
  for (let first = 0; first < microbatches; first += stages) {
    const round = Array.from({ length: Math.min(stages, microbatches - first) }, (_, own) => first + own)
    for (let depth = 0; depth < chunks * stages; depth++) {
      const stage = depth % stages
      for (const microbatch of round) {
        const start = Math.max(free[stage] ?? 0, done.get(`${microbatch} ${depth - 1}`) ?? 0)
        free[stage] = start + 1 / chunks
        done.set(`${microbatch} ${depth}`, start + 1 / chunks)
      }
    }
  }
  return Math.max(...free)
}
