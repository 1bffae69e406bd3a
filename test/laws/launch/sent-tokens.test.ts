/** Servers that send tokens to experts by DeepEP have buffers for all of them, beside the weights and caches that their share of memory holds. */
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { infer } from '../../../src/infer.ts'
import type { Framework } from '../../../src/launch/framework.ts'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import type { GenerateWorkload, PhaseProblem } from '../../../src/problem.ts'
import { withinShare } from '../../../src/remedied/within-share.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { generation, inferenceProblem, solver } from '../../inference-problem.ts'
import { legal } from '../../legal.ts'
import { launched, mixture, onHosts, plain, says } from './launched.ts'

const deepSeek = {
  ...onHosts(16),
  chip: 'h200-sxm',
  model: 'deepseek-r1',
  assumptions: 'calibrated' as const,
}
const asked = (contextLength: number, more: object = {}) =>
  inferenceProblem<GenerateWorkload>({
    ...{ ...deepSeek, ...more },
    precision: { weights: 'fp8', compute: 'fp8' },
    workload: generation('max', contextLength),
  })

function withFrameworks<Asked extends PhaseProblem>(problem: Asked, frameworks: readonly Framework[]): Asked {
  return { ...problem, assumptions: { ...problem.assumptions, frameworks } }
}

const fractionOf = ({ launch: { sglang } }: InferencePlan): number => {
  if (!Array.isArray(sglang)) throw new Error(JSON.stringify(sglang))
  return Number(sglang[sglang.indexOf('--mem-fraction-static') + 1])
}

const dispatched = { ...plain, experts: '1d/dispatched' }
const atOnce = (sequences: number) =>
  inferenceProblem({ ...onHosts(16), model: mixture, workload: generation(sequences, 256) })

describe('a share of memory', () => {
  const plans = [500, 2048, 8192].map((length) => {
    const problem = withFrameworks(asked(length), ['sglang'])
    const [plan] = infer(problem, solver).plans
    if (!plan) throw new Error(`no plan for ${length} positions`)
    return { problem, plan }
  })

  it('holds weights and caches, and is read back as a plan that fits', () => {
    const evaluate = withinShare(evaluateInference)
    for (const { problem, plan } of plans) {
      const { parameters, kvCache } = plan.memoryBytes
      const share = fractionOf(plan)
      const held = (parameters + kvCache) / problem.cluster.chip.hbmBytes
      expect(share).toBeGreaterThanOrEqual(held)
      expect(share).toBeLessThan(1)
      const { mesh, layout, batchSequences } = plan
      const sketch = {
        mesh: { ...unitMesh, ...mesh },
        layout: layout.components,
        batchSequences: batchSequences ?? 1,
      }
      const at = (ofMemory: number) =>
        legal(evaluate(problem, { ...sketch, cacheShare: { ofMemory } }, solver))
      expect(at(share).plan.feasible).toBe(true)
      expect(at(held - 0.01).plan.feasible).toBe(false)
    }
  })

  it('leaves buffers for the tokens that are sent, which the fullest plan does not', () => {
    const problem = asked(1400)
    const [plan] = infer(withFrameworks(problem, ['sglang']), solver).plans
    if (!plan) throw new Error('no plan')
    const sketch = { mesh: { ...unitMesh, ...plan.mesh }, layout: plan.layout.components }
    const fullest = legal(evaluateInference(problem, sketch, solver)).plan
    expect(plan.mesh.expert).toBeGreaterThan(1)
    expect(fractionOf(plan)).toBeGreaterThan(0)
    expect(fullest.batchSequences).toBeGreaterThan(plan.batchSequences ?? 0)
    expect(fullest.launch.sglang).toEqual({
      unsupported: [expect.stringContaining("DeepEP's buffers for 8")],
      unwritten: [expect.stringContaining("DeepEP's buffers for 8")],
    })
  })
})

describe('tokens that a chip sends to experts at once', () => {
  it('are told where they are more than there are buffers for by default', () => {
    for (const [sequences, sglang, depth] of [
      [128, '', ''],
      [129, 'SGLANG_DEEPEP_NUM_MAX_DISPATCH_TOKENS_PER_RANK=160 ', ''],
      [512, 'SGLANG_DEEPEP_NUM_MAX_DISPATCH_TOKENS_PER_RANK=512 ', 'NVSHMEM_QP_DEPTH=2048 '],
      [1024, 'SGLANG_DEEPEP_NUM_MAX_DISPATCH_TOKENS_PER_RANK=1024 ', 'NVSHMEM_QP_DEPTH=4096 '],
    ] as const) {
      const { commands, vllm } = launched(atOnce(16 * sequences), { expert: 8, data: 2 }, dispatched)
      expect(commands?.sglang?.command).toMatch(
        new RegExp(`^${sglang}SGLANG_DEEPEP_BF16_DISPATCH=1 ${depth}python3 `),
      )
      expect(commands?.vllm?.command).toMatch(new RegExp(`^${depth}vllm serve `))
      says(vllm, `--max-num-batched-tokens ${32 * Math.ceil(sequences / 32)}`)
    }
  })

  it('are in a pipeline those of a stage, and in vLLM have room for all sequences that it may run', () => {
    const staged = (each: number) => {
      const workload = generation(4 * each, 256)
      return launched(
        inferenceProblem({ ...onHosts(8), model: mixture, workload }),
        { expert: 4, pipeline: 2 },
        dispatched,
      )
    }
    for (const each of [100, 393, 1000]) {
      const { vllm, sglang } = staged(each)
      says(vllm, `--max-num-seqs ${each} --max-num-batched-tokens ${32 * Math.ceil(each / 32)}`)
      expect(sglang).toEqual(expect.any(Array))
    }
    const { vllm, sglang } = staged(1025)
    expect(vllm).toEqual({ unsupported: [expect.stringContaining('at most 1024 tokens of a chip')] })
    expect(sglang).toEqual(expect.any(Array))
  })

  it('are at most 1024, in any framework that sends them so', () => {
    const { vllm, sglang } = launched(atOnce(16 * 1024 + 1), { expert: 8, data: 2 }, dispatched)
    for (const refusal of [vllm, sglang]) {
      expect(refusal).toEqual({ unsupported: [expect.stringContaining('at most 1024 tokens of a chip')] })
    }
    const gathered = launched(atOnce(16 * 1024 + 1), { tensor: 8, data: 2 })
    says(gathered.sglang, '--tp-size 8')
  })

  it.each<readonly [readonly Framework[], boolean]>([
    [['sglang'], true],
    [['vllm'], true],
    [[], false],
  ])('of a search for %j are as many as these send', (frameworks, limited) => {
    const small = { ...deepSeek, chip: 'gb300-nvl72', chips: 72 }
    const [plan] = infer(withFrameworks(asked(1024, small), frameworks), solver).plans
    const ofChip = (plan?.batchSequences ?? 0) / 72
    const sends = (plan?.mesh.expert ?? 1) > 1
    expect(sends && ofChip > 1024).toBe(!limited)
    if (limited) for (const name of frameworks) expect(plan?.launch[name]).toEqual(expect.any(Array))
  })
})
