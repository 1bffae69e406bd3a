/** Launches of plans that the search finds. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { infer } from '../../../src/infer.ts'
import { readMaxtextServer } from '../../../src/launch/maxtext/read/server.ts'
import { knownOf } from '../../../src/launch/read/known-model.ts'
import type { ReadingContext } from '../../../src/launch/read/reading.ts'
import { readSglang } from '../../../src/launch/sglang/read.ts'
import { readTensorrt } from '../../../src/launch/tensorrt-llm/read.ts'
import { readVllm } from '../../../src/launch/vllm/read.ts'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import type { PhaseProblem } from '../../../src/problem.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { solver } from '../../inference-problem.ts'
import { unknownOptions } from '../../launch/server/options.ts'
import { legal } from '../../legal.ts'
import { generateProblems, prefillProblems } from '../inference/problems.ts'
import { type Framework, type Launched, quoted, type Unsupported } from './launched.ts'

describe('flags of plans that the search finds', () => {
  /** As made up, and plainer: few frameworks have all of the types and blocks. */
  const found = fc
    .sample(fc.oneof(generateProblems, prefillProblems), { seed: 11, numRuns: 60 })
    .flatMap((asked: PhaseProblem) => [asked, plainer(asked)])
    .flatMap((asked) =>
      infer(asked, solver).plans.map((plan) => ({
        plan,
        asked,
        launch: plan.launch as unknown as Launched,
      })),
    )

  const frameworks = ['vllm', 'sglang', 'tensorrt-llm', 'maxtext'] as const

  it('are there, or a reason why not', () => {
    const kinds = new Map<string, number>()
    for (const { launch } of found) {
      for (const framework of frameworks) {
        const answer = launch[framework]
        if (!answer) continue
        const runs = !refused(answer)
        if (refused(answer)) expect(answer.unsupported.length).toBeGreaterThan(0)
        kinds.set(`${framework} ${runs}`, (kinds.get(`${framework} ${runs}`) ?? 0) + 1)
      }
      const any = frameworks.some((name) => launch[name] && !refused(launch[name]))
      expect(launch.notes !== undefined).toBe(any)
    }
    expect(kinds.size).toBe(2 * frameworks.length)
    expect(Math.min(...kinds.values())).toBeGreaterThan(10)
  })

  it('have options of the version that they name, and no others', () => {
    const unknown = new Set<string>()
    for (const { launch } of found) for (const name of unknownOptions(launch)) unknown.add(name)
    expect([...unknown]).toEqual([])
  })

  it.each([
    [
      'vllm',
      (said: unknown, context: ReadingContext) => readVllm(`vllm serve a-model ${quoted(said)}`, context),
    ],
    [
      'sglang',
      (said: unknown, context: ReadingContext) =>
        readSglang(`python3 -m sglang.launch_server ${quoted(said)}`, context),
    ],
    [
      'tensorrt-llm',
      (said: unknown, context: ReadingContext) =>
        readTensorrt(null, said as Record<string, unknown>, context),
    ],
    [
      'maxtext',
      (said: unknown, context: ReadingContext) => readMaxtextServer(said as Record<string, unknown>, context),
    ],
  ] as const)('of %s are read whole, and written again of what was read of them', (framework, read) => {
    let again = 0
    for (const { asked, plan, launch } of found.filter((_, at) => framework === 'maxtext' || at % 3 === 0)) {
      const flags = launch[framework]
      if (!flags || refused(flags) || (asked.cluster.chip.kind === 'tpu') !== (framework === 'maxtext'))
        continue
      const model = knownOf(asked.model)
      const mode = asked.workload.mode
      const { chips } = plan
      // A batch is told TensorRT-LLM by what one stage has of it: of prompts that leave stages empty it is told no more than of others.
      if (framework === 'tensorrt-llm' && mode === 'prefill' && plan.mesh.pipeline > 1) continue
      const reading = read(flags, { chips, slices: 1, mode, model })
      expect([reading.faults, reading.notUnderstood], JSON.stringify(flags)).toEqual([[], []])
      const { mesh, layout = {} } = reading.plan as { mesh: Mesh; layout?: Record<string, string> }
      const { mostSequences: batchSequences } = reading
      const same = { ...asked, workload: { ...asked.workload, batchSequences } } as PhaseProblem
      const answer = legal(evaluateInference(same, { mesh: { ...unitMesh, ...mesh }, layout }, solver))
      expect(answer.plan.launch[framework]).toEqual(flags)
      again++
    }
    expect(again).toBeGreaterThan(10)
  })

  it('never stand for weights laid out two ways', () => {
    const both = found.filter(({ plan }) =>
      Object.values(plan.layout.components).some((name) => /^(2d|gathered)/.test(name)),
    )
    expect(both.length).toBeGreaterThan(10)
    for (const { launch } of both) {
      for (const framework of frameworks) {
        if (launch[framework]) expect(launch[framework]).toHaveProperty('unsupported')
      }
    }
  })

  it('make the chips, and hold the batch without a sequence to spare on each replica', () => {
    for (const { plan, launch, asked } of found) {
      const { chips } = plan
      const tpu = asked.cluster.chip.kind === 'tpu'
      if (Array.isArray(launch.vllm)) {
        const of = (name: string, other = 1) => value(launch.vllm as readonly string[], name, other)
        const replicas = of('--data-parallel-size')
        expect(of('--tensor-parallel-size') * of('--pipeline-parallel-size') * replicas).toBe(chips)
        const groups = tpu ? groupsOfAttention(plan) : 1
        holds(plan, of('--max-num-seqs') * groups * replicas, groups * replicas)
      }
      if (Array.isArray(launch.sglang)) {
        const of = (name: string, other = 1) => value(launch.sglang as readonly string[], name, other)
        const replicas = of('--dp-size', plan.mesh.data)
        expect(of('--tp-size') * of('--pp-size') * replicas).toBe(chips)
        holds(plan, of('--max-running-requests') * replicas, replicas)
      }
      const options = launch['tensorrt-llm'] as Readonly<Record<string, number>> | undefined
      if (options?.max_batch_size) {
        const { tensor_parallel_size: tensor = 0, pipeline_parallel_size: stages = 0 } = options
        expect(tensor * stages * plan.mesh.data).toBe(chips)
        expect(options.max_batch_size * plan.microbatches * plan.mesh.data).toBeGreaterThanOrEqual(
          plan.batchSequences,
        )
      }
      const config = launch.maxtext as Readonly<Record<string, number>> | undefined
      if (config?.ici_tensor_parallelism) {
        const { ici_tensor_parallelism: tensor, per_device_batch_size: each = 0 } = config
        expect(tensor * plan.mesh.data).toBe(chips)
        holds(plan, Math.trunc(tensor * each) * plan.mesh.data, plan.mesh.data)
      }
    }
  })

  it('leave the room that was asked for', () => {
    for (const { launch, asked } of found) {
      const { workload } = asked
      const { contextLength = workload.mode === 'prefill' ? workload.promptLength + 1 : 0 } = workload
      const room = contextLength
      if (Array.isArray(launch.vllm)) expect(value(launch.vllm, '--max-model-len')).toBe(room)
      if (Array.isArray(launch.sglang)) {
        expect(value(launch.sglang, '--context-length')).toBeGreaterThanOrEqual(room)
      }
    }
  })

  function plainer(asked: PhaseProblem): PhaseProblem {
    const precision = { ...asked.precision, weights: 'bf16', kvCache: 'bf16' } as const
    const attention = { ...asked.model.attention, window: null }
    return { ...asked, precision, model: { ...asked.model, parallelBlocks: false, attention } }
  }

  function refused(answer: NonNullable<Launched[Framework]>): answer is Unsupported {
    return 'unsupported' in answer
  }

  function value(flags: readonly string[], name: string, otherwise = 0): number {
    const at = flags.indexOf(name)
    return at < 0 ? otherwise : Number(flags[at + 1])
  }

  function holds({ batchSequences }: InferencePlan, places: number, parts: number): void {
    expect(places).toBeGreaterThanOrEqual(batchSequences)
    expect(places).toBeLessThan(batchSequences + parts)
  }

  function groupsOfAttention({ mesh, layout }: InferencePlan): number {
    const [cache] = Object.values(layout.components).flatMap((name) => name.split('/').slice(1))
    if (cache === 'batch') return mesh.tensor * mesh.tensor2
    return cache === 'heads-batch' ? mesh.tensor2 : 1
  }
})
