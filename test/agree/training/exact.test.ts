/**
 * `exact: true` in training: over every field of a layout, the search lists what trying everything lists, for every
 * kind of list; no bound that it drops layouts by is above the best of what it drops.
 */

import { describe, expect, it } from 'vitest'
import type { Constraints } from '../../../src/constraint.ts'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import type { CostModel } from '../../../src/cost/model.ts'
import { computeNumbers } from '../../../src/cost/step/microbatch.ts'
import { launchable } from '../../../src/launch/training.ts'
import { never } from '../../../src/patience.ts'
import type { Problem } from '../../../src/problem.ts'
import { meshFloors } from '../../../src/search/bound/floor.ts'
import { hasRoom, layoutFloor } from '../../../src/search/bound/layout-floor.ts'
import { replicaHopes } from '../../../src/search/bound/replica-floor.ts'
import { wholeWork, workFloor } from '../../../src/search/bound/work-floor.ts'
import type { Accepts, Candidate, Layout } from '../../../src/search/layouts/candidate.ts'
import { contextModels } from '../../../src/search/layouts/context-models.ts'
import { createWorkbench } from '../../../src/search/search.ts'
import { searchAll } from '../../../src/search/search-all.ts'
import type { SearchResult } from '../../../src/search/search-result.ts'
import { placedCosts } from '../../../src/search/stages/placed-costs.ts'
import { stageCuts } from '../../../src/search/stages/stage-cuts.ts'
import { stageNumbers } from '../../../src/search/stages/stage-numbers.ts'
import { meshKey, replicasOf } from '../../../src/sharding/axis.ts'
import { forAll } from '../../law.ts'
import { problem } from '../../problem.ts'
import { enumeration, mergedRanking } from './enumeration.ts'
import { narrowing, trainingProblems } from './problems.ts'

const all = 1000

interface Asked {
  readonly top: number
  readonly constraints?: Constraints
}

/** What is asked for of the list, and constraints, change no cost. Of all the chips: test/laws/search/chips.test.ts has those of fewer. */
function listed(models: readonly CostModel[], { top, constraints }: Asked): SearchResult {
  const asked = models.map((model): CostModel => {
    const { problem } = model
    return { ...model, problem: { ...problem, top, constraints: constraints ?? problem.constraints } }
  })
  return searchAll(asked, top, launchable, { fewer: false })
}

describe('the search of any small problem of training', () => {
  it('lists what trying everything finds, its first ones whatever is asked for, and none better under constraints', () => {
    let refusals = 0
    forAll(12, [trainingProblems, narrowing], (problem, narrower) => {
      const models = contextModels(problem)
      const found = listed(models, { top: all })
      expectEnumerated(models, found)
      for (const top of [1, 2, 5]) {
        expect(listed(models, { top }).candidates.map(named)).toEqual(
          found.candidates.slice(0, top).map(named),
        )
      }
      const [best] = searchAll(models, 1, undefined, { fewer: false }).candidates
      // Whatever is refused for whatever reason, the best of all is found beside what is not.
      for (const acceptsOf of [launchable, () => best && allBut(best)]) {
        for (const advantage of [0, 0.02]) {
          const { candidates, refused } = searchAll(models, 3, (model) => acceptsOf(model) ?? null, {
            ...{ fewer: false, refused: never, advantage },
          })
          const least = (candidates[0]?.score ?? Number.POSITIVE_INFINITY) / (1 + advantage)
          const better = best && best.score < least
          expect(refused && named(refused)).toEqual(better ? named(best) : null)
          if (better) refusals++
        }
      }
      const first = (constraints: Constraints) =>
        listed(models, { top: 1, constraints }).candidates[0]?.score ?? Number.POSITIVE_INFINITY
      expect(first({})).toBeLessThanOrEqual(first(narrower))
    })
    expect(refusals).toBeGreaterThan(0)
  })

  it('is so where a policy that keeps less has less to do in some layers, so that stages wait for the others', () => {
    for (let budget = 70.9e6; budget < 71.6e6; budget *= 1.0005) {
      const models = contextModels(unlikePairs(budget))
      expectEnumerated(models, listed(models, { top: all }))
    }
  })

  it.each([1, 10])('is so where keys go around a ring, and gradients %d times as slowly', (slower) => {
    const models = [costModel(ringed(slower), 'ring')]
    const found = listed(models, { top: all })
    expect(found.candidates.length).toBeGreaterThan(2)
    expectEnumerated(models, found)
  })

  it('is so where a stage has more chunks than eight, of one layer each but for the first and the last', () => {
    const models = contextModels(manyChunks())
    const found = listed(models, { top: all })
    const most = Math.max(...found.candidates.map(({ schedule }) => schedule.virtualStages))
    expect(most).toBe(13)
    expectEnumerated(models, found)
  })
})

describe('what memory forces to be computed again', () => {
  it('counts before a layout is looked at', () => {
    const made = problem({
      model: {
        ...{ layers: 8, dModel: 2048, dFf: 8192, heads: 16, kvHeads: 16, headDim: 128, vocab: 1000 },
        ...{ gatedMlp: false, tiedEmbeddings: true },
      },
      ...{ chip: 'h100-sxm', chips: 16, batchTokens: 64 * 8192, sequenceLength: 8192 },
      memoryBudget: 3e9,
      assumptions: { basis: 'calibrated', frameworks: [] },
    })
    const model = costModel(made)
    const floors = meshFloors(model)
    const { candidates } = searchAll([model], all, () => null, { fewer: false })
    const seen = candidates.filter(({ mesh, mix, score }) => {
      const recomputes = mix.policy !== 0 || mix.count > 0
      const least = floors.of(mesh, createScale())
      return recomputes && least < 0.9 * score && !floors.hopeful(mesh, createScale(), 0.98 * score)
    })
    expect(seen.length).toBeGreaterThan(5)
  })
})

/** Attention of long sequences takes long to make again, which the leaner of two policies keeps in place of what experts made. */
function unlikePairs(memoryBudget: number): Problem {
  return problem({
    model: {
      ...{ layers: 5, layerPattern: 'E*-E*', dModel: 256, dFf: 4096, heads: 2, kvHeads: 2, headDim: 64 },
      ...{ vocab: 1000, gatedMlp: false, tiedEmbeddings: false },
      experts: {
        ...{ experts: 2, activeExperts: 1, dFfExpert: 256, sharedExperts: 0, denseLayers: 0, every: 1 },
        nodeLimit: 1,
      },
    },
    ...{ chip: 'tpu-v5e', topology: [2, 2], batchTokens: 16_384, sequenceLength: 16_384 },
    memoryBudget,
    constraints: { tensor: { max: 2 } },
    rematerialization: ['minimal', 'save_dot_with_context_except_mlp', 'save_dot_except_mlp'],
    assumptions: {
      ...{ basis: 'calibrated', frameworks: [], searchTensor2: true, overlapCriticalPath: 1 },
      ...{ endsOnEveryStage: false, workspace: false, attentionFlops: 'full' },
    },
  })
}

/** Layers enough for two stages of thirteen chunks, which shorten a bubble of an eighth. */
function manyChunks(): Problem {
  return problem({
    model: {
      ...{ layers: 24, dModel: 4096, dFf: 16_384, heads: 32, kvHeads: 8, headDim: 128, vocab: 1000 },
      ...{ gatedMlp: false, tiedEmbeddings: true },
    },
    ...{ chip: 'h100-sxm', chips: 2, batchTokens: 4 * 8192, sequenceLength: 8192 },
    rematerialization: ['none', 'full'],
    assumptions: { basis: 'calibrated', frameworks: [] },
  })
}

/** Nodes of two, which the ring is inside of: gradients go between them, and may take longer than all else. */
function ringed(slower: number): Problem {
  return onNodes(
    2,
    slower,
    problem({
      model: {
        ...{ layers: 4, dModel: 1024, dFf: 1000, heads: 4, kvHeads: 4, headDim: 128, vocab: 1000 },
        ...{ gatedMlp: false, tiedEmbeddings: true },
      },
      ...{ chip: 'h100-sxm', chips: 4, batchTokens: 16 * 8192, sequenceLength: 8192 },
      rematerialization: ['none', 'selective', 'full'],
      network: { scaleUpBytesPerSecondPerChip: 1.3e11 },
      assumptions: {
        ...{ basis: 'calibrated', frameworks: [] },
        ...{ overlapPrefetched: 1, latencyFactor: 0, layerOverheadSeconds: 0 },
      },
    }),
  )
}

function onNodes(size: number, slower: number, made: Problem): Problem {
  const { network } = made.cluster
  if (network.kind === 'torus') throw new Error('A torus has no nodes')
  const tiers = network.tiers.map((tier, level) =>
    level === 0 ? { ...tier, size } : { ...tier, bytesPerSecondPerChip: tier.bytesPerSecondPerChip / slower },
  )
  return { ...made, cluster: { ...made.cluster, network: { ...network, tiers } } }
}

function expectEnumerated(models: readonly CostModel[], found: SearchResult): void {
  const enumerations = models.map((model) => {
    const floors = floorsOf(model)
    const hopes = replicaHopes(model)
    const every = enumeration(model, { accepts: launchable(model), cut: floors.under })
    for (const { mesh, score } of every.ranking) {
      expect(floors.ofMesh.of(mesh, createScale())).toBeLessThanOrEqual(score)
      expect(floors.ofMesh.hopeful(mesh, createScale(), score)).toBe(true)
      const { cluster, workload, assumptions } = model.problem
      const sequences = workload.batchTokens / workload.sequenceLength
      const whole = assumptions.tokensDivideFreely ? sequences : Math.ceil(sequences)
      const each = whole / replicasOf(mesh)
      const replica = { ...mesh, data: 1, fsdp: 1 }
      const padded = assumptions.tokensDivideFreely ? each : Math.ceil(each)
      for (const hope of [hopes.anywhere, hopes.divided, hopes.on(cluster)]) {
        expect(hope(replica, padded, score)).toBe(true)
      }
      const paced = hopes.paced(cluster.chips)
      expect(paced({ ...replica, pipeline: 1 }, mesh.pipeline, padded, score)).toBe(true)
    }
    return every
  })
  const wanted = mergedRanking(enumerations)
  expect(found.candidates.map(({ mesh }) => meshKey(mesh))).toEqual(wanted.map(({ mesh }) => meshKey(mesh)))
  found.candidates.forEach(({ score }, at) => {
    expect(Math.abs(score / (wanted[at]?.score ?? Number.NaN) - 1)).toBeLessThan(1e-12)
  })
  const { enumerated, pruned, evaluated, infeasible } = found
  const { memory, divisibility, topology, constraint } = infeasible
  expect(enumerated).toBe(enumerations.reduce((sum, { layouts }) => sum + layouts, 0))
  expect(pruned + evaluated + memory + divisibility + topology + constraint).toBe(enumerated)
}

/** All plans but those of one mesh. */
function allBut({ mesh: refused }: Candidate): Accepts {
  const all = {
    mixes: () => true,
    contexts: null,
    placements: () => null,
    cut: () => true,
    plans: () => () => true,
  }
  return { ...all, mesh: (mesh) => (meshKey(mesh) === meshKey(refused) ? null : () => true) }
}

function named({
  mesh,
  contextLayout,
  zeroStage,
  microbatches,
  schedule,
  mix,
  stageLayers,
  score,
}: Candidate) {
  return { mesh, contextLayout, zeroStage, microbatches, schedule, mix, stageLayers, score }
}

/** What layouts and cuts are dropped by, held under what is dropped. */
function floorsOf(model: CostModel) {
  const { problem } = model
  const bench = createWorkbench(model)
  const ofMesh = meshFloors(model)
  const under = (layout: Layout, best: number) => {
    if (!Number.isFinite(best)) return
    const { mesh, schedule, microbatches, stageLayers } = layout
    const scale = createScale()
    const { assumptions } = problem
    setMesh(scale, mesh, model.extents, assumptions)
    setBatch(scale, layout.sequences)
    const compute = computeNumbers(model, scale)
    const cuts = stageCuts(model, mesh.pipeline, schedule, microbatches, compute)
    if (!cuts) throw new Error('A layout is not cut')
    const cut =
      cuts.kind === 'alike'
        ? [cuts.of(lastOf(layout, problem))]
        : cuts.byFloor.filter((one) => `${one.stageLayers}` === `${stageLayers}`)
    for (const one of cut) expect(one?.floor ?? Number.NaN).toBeLessThanOrEqual(best)
    expect(workFloor(wholeWork(model, compute), mesh.pipeline, schedule, microbatches)).toBeLessThanOrEqual(
      best,
    )
    const within = ofMesh.within(mesh, createScale(), best)
    expect(within?.(layout.zeroStage, microbatches) ?? Number.NaN).toBeLessThanOrEqual(best)
    expect(cut.length).toBeGreaterThan(0)
    const places = placedCosts(model, mesh)
    const numbers = stageNumbers(model, scale, { zeroStage: layout.zeroStage, compute, places })
    expect(layoutFloor(model, layout, numbers, bench.scratch)).toBeLessThanOrEqual(best)
    expect(hasRoom(model, layout, numbers.memory)).toBe(true)
  }
  return { under, ofMesh }
}

/** What a cut is named by: the layers of the last stage, or of the outermost pair. */
function lastOf({ schedule, stageLayers }: Layout, { assumptions }: Problem): number {
  const last = stageLayers.at(-1) ?? 0
  return schedule.name === 'dualpipe' && !assumptions.tokensDivideFreely ? last + (stageLayers[0] ?? 0) : last
}
