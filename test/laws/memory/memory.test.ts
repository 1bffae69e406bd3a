import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import type { MemoryNumbers } from '../../../src/cost/memory/layer-bytes.ts'
import { memoryNumbers } from '../../../src/cost/memory/memory-numbers.ts'
import { stateBytes, updateBytes } from '../../../src/cost/memory/optimizer.ts'
import { activationBytes, fixedMemory, liveOf, stageBytes } from '../../../src/cost/memory/stage-memory.ts'
import { type CostModel, stageModel } from '../../../src/cost/model.ts'
import { computeNumbers } from '../../../src/cost/step/microbatch.ts'
import { type StageGroup, stageGroups } from '../../../src/cost/step/stages.ts'
import { updateTimes } from '../../../src/cost/step/update-time.ts'
import type { Architecture } from '../../../src/model/architecture.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import { offeredPolicies } from '../../../src/recipe/policy.ts'
import { type Mesh, meshSize, unitMesh } from '../../../src/sharding/axis.ts'
import { type ZeroStage, zeroStages } from '../../../src/sharding/states.ts'
import { law } from '../../law.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { padded } from '../../rounding.ts'

/** Everything divides: 2^n of each. */
const even: Architecture = {
  layers: 4,
  dModel: 1024,
  dFf: 4096,
  heads: 16,
  kvHeads: 16,
  headDim: 64,
  vocab: 32_768,
  gatedMlp: true,
  tiedEmbeddings: false,
}

const base: ProblemOptions = {
  model: even,
  chip: 'h100-sxm',
  chips: 64,
  batchTokens: 64 * 4096,
  sequenceLength: 4096,
  rematerialization: offeredPolicies('counted').map(({ name }) => name),
}

interface OnOneChip {
  readonly model: CostModel
  readonly memory: MemoryNumbers
  readonly groups: readonly StageGroup[]
}

/** A mesh with all of the batch in one microbatch. */
function onOneChip(
  options: Partial<ProblemOptions>,
  axes: Partial<Mesh>,
  zeroStage: ZeroStage,
  microbatches = 1,
): OnOneChip {
  const model = costModel(problem({ ...base, ...options }))
  const mesh: Mesh = { ...unitMesh, ...axes }
  const scale = createScale()
  setMesh(scale, mesh, model.extents, model.problem.assumptions)
  setBatch(scale, model.problem.workload.batchTokens / model.problem.workload.sequenceLength / microbatches)
  const counts = new Array<number>(mesh.pipeline).fill(model.problem.model.layers / mesh.pipeline)
  const schedule = { name: mesh.pipeline > 1 ? '1f1b' : 'none', virtualStages: 1 } as const
  const groups = stageGroups(counts, schedule, microbatches)
  return { model, memory: memoryNumbers(model, stageModel(model, zeroStage), scale), groups }
}

/** States of all chips: what each stage holds, times the chips of a stage. */
function overAllChips({ memory, groups }: OnOneChip, mesh: Partial<Mesh>) {
  const chips = meshSize({ ...unitMesh, ...mesh, pipeline: 1 })
  const sum = (part: 'parameters' | 'gradients' | 'optimizer') =>
    chips * groups.reduce((total, group) => total + group.stages * fixedMemory(memory, group)[part], 0)
  return { parameters: sum('parameters'), gradients: sum('gradients'), optimizer: sum('optimizer') }
}

const shardedMeshes = fc.constantFrom<Partial<Mesh>>(
  { fsdp: 64 },
  { fsdp: 16, context: 4 },
  { context: 8 },
  { fsdp: 16, pipeline: 4 },
  { fsdp: 2, context: 2, pipeline: 2 },
)

const shapes = fc
  .record({
    gatedMlp: fc.boolean(),
    kvHeads: fc.constantFrom(4, 16),
    parallelBlocks: fc.boolean(),
    learnedPositions: fc.constantFrom(0, 2048),
  })
  .map((shape): Architecture => ({ ...even, ...shape }))

describe('the states', () => {
  law(
    'of all chips together are those of the model, once, where everything is sharded',
    30,
    [shapes, shardedMeshes],
    (model, mesh) => {
      const made = onOneChip({ model }, mesh, 3)
      const { total } = parameterCount(made.model.problem.model)
      const { precision, assumptions, workload } = made.model.problem
      const each = stateBytes(workload.optimizer, precision, assumptions)
      const held = overAllChips(made, mesh)
      expect(held.parameters / (total * each.weights)).toBeCloseTo(1, 12)
      expect(held.gradients / (total * each.gradients)).toBeCloseTo(1, 12)
      expect(held.optimizer / (total * each.optimizer)).toBeCloseTo(1, 12)
    },
  )

  it('of a tied model on one stage count its embedding once, positions and all', () => {
    const model = { ...even, tiedEmbeddings: true, learnedPositions: 2048 }
    const made = onOneChip({ model }, { fsdp: 64 }, 3)
    const { total } = parameterCount(made.model.problem.model)
    expect(overAllChips(made, { fsdp: 64 }).parameters).toBeCloseTo(2 * total, 0)
  })

  it('under tensor parallelism are divided but for the norms, which every chip has', () => {
    const mesh = { tensor: 8 }
    const made = onOneChip({}, mesh, 0)
    const { total } = parameterCount(made.model.problem.model)
    const norms = (2 * even.layers + 1) * even.dModel
    expect(overAllChips(made, mesh).parameters).toBe(2 * (total + 7 * norms))
  })

  it('under data parallelism are whole on every chip', () => {
    const made = onOneChip({}, { data: 64 }, 0)
    const { total } = parameterCount(made.model.problem.model)
    expect(overAllChips(made, { data: 64 }).parameters).toBe(64 * 2 * total)
  })

  it('take less with every ZeRO stage', () => {
    const mesh = { data: 8, context: 8 }
    const bytes = zeroStages.map((stage) => {
      const { memory, groups } = onOneChip({}, mesh, stage)
      const [group] = groups as [StageGroup]
      const { parameters, gradients, optimizer } = fixedMemory(memory, group)
      return { parameters, gradients, optimizer }
    })
    const [none, one, two, three] = bytes
    expect(one).toMatchObject({ parameters: none?.parameters, gradients: none?.gradients })
    expect((none?.optimizer ?? 0) / (one?.optimizer ?? 0)).toBeCloseTo(64, 9)
    expect(two).toMatchObject({ parameters: one?.parameters, optimizer: one?.optimizer })
    expect((one?.gradients ?? 0) / (two?.gradients ?? 0)).toBeCloseTo(64, 9)
    expect((two?.parameters ?? 0) / (three?.parameters ?? 0)).toBeCloseTo(8, 9)
  })

  law(
    'are read and written by the optimizer once for each parameter',
    20,
    [shapes, fc.boolean()],
    (shape, tiedEmbeddings) => {
      const model = costModel(problem({ ...base, model: { ...shape, tiedEmbeddings } }))
      const scale = createScale()
      setMesh(scale, { ...unitMesh, fsdp: 64 }, model.extents, padded)
      const groups = stageGroups([even.layers], { name: 'none', virtualStages: 1 }, 1)
      const { workload, precision, assumptions, model: transformer } = model.problem
      const bytes = updateBytes(stateBytes(workload.optimizer, precision, assumptions))
      const seconds = (parameterCount(transformer).total / 64) * bytes * model.rates.secondsPerByte
      expect(updateTimes(model, stageModel(model, 3), scale)(groups) / seconds).toBeCloseTo(1, 12)
    },
  )
})

describe('what a policy keeps', () => {
  const tokens = base.batchTokens / 64
  const { dModel: D, dFf: F, heads: N, headDim: H = 0 } = even
  const kept = (name: string, options: Partial<ProblemOptions> = {}, mesh: Partial<Mesh> = { data: 64 }) => {
    const { model, memory } = onOneChip(options, mesh, 0)
    return memory.kept[model.policies.findIndex((policy) => policy.name === name)] ?? Number.NaN
  }

  it('is one tensor of width D a layer where all is recomputed', () => {
    expect(kept('full')).toBe(2 * tokens * D)
    expect(kept('full', { assumptions: 'book' })).toBe(2 * tokens * D)
  })

  it('is every operand of the backward pass where nothing is', () => {
    const streams = 4 * D
    const heads = 4 * N * H
    expect(kept('none')).toBe(2 * tokens * (streams + heads + 3 * F))
  })

  it("is the outputs of the big matmuls: the book's seven tensors", () => {
    expect(kept('minimal', { assumptions: 'book' })).toBe(2 * tokens * 7 * D)
    expect(kept('save_mlp_proj', { assumptions: 'book' })).toBe(2 * tokens * (D + 2 * F))
  })

  it('is divided by every axis that shards activations', () => {
    const whole = kept('none', {}, { data: 64 }) * 64
    for (const mesh of [
      { data: 8, tensor: 8 },
      { fsdp: 16, context: 4 },
      { data: 4, tensor: 4, context: 4 },
    ]) {
      expect(kept('none', {}, mesh) * 64).toBeGreaterThan(0.5 * whole)
    }
    for (const mesh of [
      { fsdp: 16, context: 4 },
      { data: 32, fsdp: 2 },
    ])
      expect(kept('none', {}, mesh) * 64).toBe(whole)
    expect(kept('full', {}, { data: 8, tensor: 8 }) * 64).toBe(64 * kept('full'))
  })

  it('is less where it keeps fewer arrays, at the price of as much work or more', () => {
    const { model, memory } = onOneChip({}, { data: 64 }, 0)
    const scale = createScale()
    setMesh(scale, { ...unitMesh, data: 64 }, model.extents, padded)
    setBatch(scale, 64)
    const { backward } = computeNumbers(model, scale)
    const within = (few: readonly string[], many: readonly string[]) =>
      few.every((name) => many.includes(name))
    let compared = 0
    offeredPolicies('counted').forEach((less, a) => {
      offeredPolicies('counted').forEach((more, b) => {
        const fewer =
          within(less.attention, more.attention) && within(less.mlp, more.mlp) && less.stream <= more.stream
        if (a === b || !fewer || less.host || more.host) return
        compared++
        expect(memory.kept[a]).toBeLessThan(memory.kept[b] ?? 0)
        expect(backward[a]).toBeGreaterThanOrEqual(backward[b] ?? Number.NaN)
      })
    })
    expect(compared).toBeGreaterThan(10)
  })
})

describe('the memory of a stage', () => {
  const mixes = fc.record({ policy: fc.nat(7), other: fc.nat(7), count: fc.nat(4) })

  const pipelines = new Map([1, 2, 4].map((p) => [p, onOneChip({}, { data: 16, pipeline: p }, 1, 4)]))

  law(
    'is less with more layers of a leaner policy, but for what one recomputed layer needs at once',
    100,
    [mixes, fc.constantFrom(1, 2, 4)],
    ({ policy, other, count }, pipeline) => {
      const { memory, groups } = pipelines.get(pipeline) as OnOneChip
      if ((memory.kept[other] ?? 0) > (memory.kept[policy] ?? 0)) return
      for (const group of groups) {
        const now = activationBytes(memory, group, { policy, other, count })
        expect(activationBytes(memory, group, { policy, other, count: count + 1 })).toBeLessThanOrEqual(now)
        if (count > 0) {
          const more = stageBytes(memory, group, { policy, other, count: count + 1 })
          expect(more).toBeLessThanOrEqual(stageBytes(memory, group, { policy, other, count }))
        }
      }
    },
  )

  it('is fullest in activations on the first stage of a pipeline, p microbatches of its layers', () => {
    const { memory, groups } = onOneChip({}, { data: 16, pipeline: 4 }, 1, 8)
    const [none] = memory.kept
    const mix = { policy: 0, other: 0, count: 0 }
    const activations = groups.flatMap((group) =>
      Array.from({ length: group.stages }, () => activationBytes(memory, group, mix)),
    )
    expect(activations[0]).toBe(4 * (none ?? 0))
    expect(activations[0]).toBe(Math.max(...activations))
  })

  it('has the logits on the last stage alone: fp32 and a copy in bf16', () => {
    const { memory, groups } = onOneChip({}, { data: 16, pipeline: 4 }, 1)
    expect(memory.logits).toBe((6 * base.batchTokens * even.vocab) / 16)
    const workspace = groups.map((group) => fixedMemory(memory, group).workspace)
    expect(Math.max(...workspace)).toBe(workspace.at(-1))
    expect((workspace.at(-1) ?? 0) - (workspace[0] ?? 0)).toBe(memory.logits + memory.stream)
  })

  it('adds up to its parts', () => {
    const { memory, groups } = onOneChip({}, { data: 8, fsdp: 4, pipeline: 2 }, 3, 2)
    for (const group of groups) {
      const mix = { policy: 0, other: 7, count: 1 }
      const { parameters, gradients, optimizer, workspace, reserve } = fixedMemory(memory, group)
      const live = liveOf(memory, group, 7)
      const parts =
        parameters + gradients + optimizer + workspace + reserve + live + activationBytes(memory, group, mix)
      expect(stageBytes(memory, group, mix)).toBeCloseTo(parts, 3)
    }
  })
})
