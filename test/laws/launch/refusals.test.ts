/** Why a server cannot run a written plan. */
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { byPart } from '../../../src/model/weight-parts.ts'
import type { PhaseProblem, Precision } from '../../../src/problem.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import {
  generation,
  type InferenceOptions,
  inferenceProblem,
  prompts,
  solver,
} from '../../inference-problem.ts'
import { legal } from '../../legal.ts'
import { type Framework, inGroups, launched, mixture, onHosts, onTorus, plain } from './launched.ts'

describe('a serving framework that cannot run a plan says why', () => {
  const reasons = (
    framework: Framework,
    options: Omit<InferenceOptions<PhaseProblem['workload']>, 'workload'>,
    mesh: Partial<Mesh>,
    layout: Readonly<Record<string, string>> = plain,
    workload: PhaseProblem['workload'] = generation(64, 4096),
  ) => {
    const problem = inferenceProblem({ ...options, workload }) as PhaseProblem
    const answer = launched(problem, mesh, layout)[framework]
    return answer && 'unsupported' in answer ? answer.unsupported : []
  }

  it('runs the plan that the others differ from', () => {
    for (const framework of ['vllm', 'sglang', 'tensorrt-llm'] as const) {
      expect(reasons(framework, onHosts(8), { tensor: 8 })).toEqual([])
    }
    for (const framework of ['vllm', 'maxtext'] as const) {
      expect(reasons(framework, onTorus, { tensor: 8 })).toEqual([])
    }
  })

  it('starts as many ranks on each host, four on a tray of an NVLink domain', () => {
    const apart = { ...plain, attention: '1d/heads/absorbed', experts: '1d/dispatched' }
    const told = (chips: number) => {
      const trays = { ...onHosts(chips), chip: 'gb200-nvl72', model: 'deepseek-v2-lite' }
      return launched(
        inferenceProblem({ ...trays, workload: generation(144, 4096) }),
        { expert: chips },
        apart,
      )
    }
    for (const framework of ['vllm', 'sglang', 'tensorrt-llm'] as const) {
      const { unsupported } = told(18)[framework] as { unsupported: readonly string[] }
      expect(unsupported).toContain('the 18 chips of a server do not lie evenly on hosts of 4')
    }
    for (const chips of [4, 8, 16]) {
      const { commands = {} } = told(chips) as { commands?: Record<string, { command: string }> }
      const hosts = chips === 4 ? undefined : `${chips / 4}`
      expect(/--nnodes (\d+)/.exec(commands.sglang?.command ?? '')?.[1]).toBe(hosts)
      expect(/--nodes (\d+) --ntasks-per-node 4 /.exec(commands['tensorrt-llm']?.command ?? '')?.[1]).toBe(
        hosts,
      )
      expect(commands.vllm?.command.includes('--data-parallel-size-local 4 ')).toBe(hosts !== undefined)
    }
  })

  it('puts stages of a data-parallel rank next to one another in vLLM, where plans have ranks that exchange tokens', () => {
    const apart = { ...plain, experts: '1d/dispatched' }
    const of = (framework: Framework, chips: number, mesh: Partial<Mesh>) =>
      reasons(framework, onHosts(chips, { model: mixture }), mesh, apart, generation(256, 4096))
    const spread = [expect.stringContaining('spreads the 8 ranks of a stage over hosts')]
    expect(of('vllm', 16, { expert: 8, pipeline: 2 })).toEqual(spread)
    expect(of('sglang', 16, { expert: 8, pipeline: 2 })).toEqual([])
    // On one host, or without a pipeline, it makes no difference.
    for (const mesh of [{ expert: 4, pipeline: 2 }, { expert: 8 }] as const) {
      expect(of('vllm', 8, mesh)).toEqual([])
    }
    // Replicas are servers apart, each on a host of its own.
    expect(of('vllm', 16, { expert: 4, pipeline: 2, data: 2 })).toEqual([])
  })

  it('lays weights out one way', () => {
    const layout = { attention: '2d/heads', mlp: 'gathered', unembedding: '1d' }
    const mesh = { tensor: 4, tensor2: 2 }
    for (const framework of ['vllm', 'sglang', 'tensorrt-llm'] as const) {
      expect(reasons(framework, onHosts(8), mesh, layout)).toEqual([
        expect.stringContaining('attention in 2d/heads, mlp in gathered'),
      ])
    }
    expect(reasons('vllm', onTorus, mesh, layout)).toHaveLength(1)
    expect(reasons('maxtext', onTorus, mesh, layout)).toHaveLength(1)
  })

  it('copies the MLP of a dense model with its attention on GPUs', () => {
    const layout = inGroups('copied-all/batch', 'copied-all')
    for (const framework of ['vllm', 'sglang', 'tensorrt-llm'] as const) {
      expect(reasons(framework, onHosts(8), { tensor: 8 }, layout)).toContainEqual(
        expect.stringContaining('beside experts alone'),
      )
    }
    const said = [reasons('maxtext', onTorus, { tensor: 8 }, layout)].flat()
    expect(said).toContain('MaxText shards caches by heads alone')
    // It has no component in any layout beside such attention, and names none.
    expect(said.join()).toMatch(/MaxText has no mlp beside attention in copied/)
    expect(said.join()).not.toContain('  ')
  })

  it('has no attention weights that groups with sequences of their own share out', () => {
    for (const framework of ['vllm', 'sglang', 'tensorrt-llm'] as const) {
      const layout = { ...plain, attention: '1d/batch', experts: '1d/sliced' }
      expect(reasons(framework, { ...onHosts(8), model: mixture }, { tensor: 8 }, layout)).toEqual([
        expect.stringContaining('has all attention weights on each group of chips'),
      ])
    }
  })

  it('slices weights that are quantised in blocks by whole blocks', () => {
    const blocks = { rows: 128, columns: 128 }
    const block = {
      weights: 'fp8',
      compute: 'fp8',
      parameterBytes: byPart(() => 1),
      weightBlock: blocks,
    } as const
    const model = 'qwen3-235b-a22b'
    const placed = (tensor: number, places: string) => {
      const layout = { attention: '1d/heads', experts: `1d/${places}`, unembedding: '1d' }
      return (precision: Partial<Precision>, framework: Framework) =>
        reasons(
          framework,
          { ...onHosts(8), model, precision },
          { tensor, data: 8 / tensor },
          layout,
          generation(64, 4096),
        )
    }
    for (const framework of ['vllm', 'sglang'] as const) {
      // vllm-project/vllm issue 17569: "The output_size of gate's and up's weight = 192 is not divisible by weight quantization block_n = 128".
      expect(placed(8, 'sliced')(block, framework)).toEqual([
        expect.stringContaining('1536 of F of experts in 8 slices of 192'),
      ])
      expect(placed(4, 'sliced')(block, framework)).toEqual([])
      expect(placed(8, 'spread')(block, framework)).toEqual([])
      const kept = { ...block, parameterBytes: byPart((part) => (part === 'experts' ? 2 : 1)) }
      expect(placed(8, 'sliced')(kept, framework)).toEqual([])
      expect(placed(8, 'sliced')({ weights: 'fp8', compute: 'fp8' }, framework)).toEqual([])
    }
    expect(placed(8, 'sliced')(block, 'tensorrt-llm')).toEqual([])
  })

  it('shares out positions among the chips of one key-value head', () => {
    const layout = { ...plain, attention: '1d/sequence' }
    expect(reasons('vllm', onHosts(16), { tensor: 16 }, layout)).toEqual([
      expect.stringContaining('16 chips for 8 heads leave at most 2, and the plan has them among all 16'),
    ])
    expect(reasons('tensorrt-llm', onHosts(16), { tensor: 16 }, layout)).toEqual([
      expect.stringContaining('Helix'),
    ])
  })

  it('has no context parallelism like the plan', () => {
    const workload = prompts(1, 8192)
    for (const framework of ['vllm', 'sglang', 'tensorrt-llm'] as const) {
      expect(reasons(framework, onHosts(8), { tensor: 4, context: 2 }, plain, workload)).toHaveLength(1)
    }
    expect(reasons('vllm', onTorus, { tensor: 4, context: 2 }, plain, workload)).toHaveLength(1)
    expect(reasons('maxtext', onTorus, { tensor: 4, context: 2 }, plain, workload)).toHaveLength(1)
  })

  it('shares heads out evenly: MaxText does not copy them', () => {
    const larger = { ...onTorus, topology: [2, 2, 4] }
    expect(reasons('vllm', larger, { tensor: 16 })).toEqual([])
    expect(reasons('maxtext', larger, { tensor: 16 })).toEqual([expect.stringContaining('8 key-value heads')])
    const padded = { ...larger, model: 'palm-540b', topology: [4, 4, 4] }
    const block = { block: '1d/heads', unembedding: '1d' } as unknown as typeof plain
    expect(reasons('vllm', padded, { tensor: 64 }, block)).toEqual(['64 chips do not divide 48 heads'])
  })

  it('has the element types that it has', () => {
    const precision = { weights: 'int8', kvCache: 'int8' } as const
    expect(reasons('vllm', { ...onHosts(8), precision }, { tensor: 8 })).toEqual([])
    expect(reasons('sglang', { ...onHosts(8), precision }, { tensor: 8 })).toHaveLength(2)
    expect(reasons('vllm', { ...onTorus, precision }, { tensor: 8 })).toEqual([
      'weights in int8 with compute in bf16 are not mapped to vLLM on TPUs',
      'a cache in int8 is not mapped to vLLM on TPUs',
    ])
  })

  it('runs no plan that does not fit, and none of slices apart', () => {
    expect(reasons('vllm', onHosts(1), {})).toEqual(['the plan does not fit into its memory budget'])
    const slices = { ...onTorus, slices: 2 }
    expect(reasons('vllm', slices, { tensor: 8, data: 2 })).toEqual([expect.stringContaining('one slice')])
    expect(reasons('maxtext', slices, { tensor: 8, data: 2 })).toEqual([])
  })

  it('prefills one prompt at a time in MaxText, without a pipeline', () => {
    expect(reasons('maxtext', onTorus, { tensor: 8 }, plain, prompts(2, 1024))).toEqual([
      expect.stringContaining('one prompt at a time'),
    ])
    expect(reasons('maxtext', onTorus, { tensor: 4, pipeline: 2 }, plain, prompts(1, 1024))).toEqual([
      expect.stringContaining('no pipeline'),
    ])
  })

  it('asks TensorRT-LLM of no other maker', () => {
    const amd = { ...onHosts(8), chip: 'mi300x' }
    expect(reasons('tensorrt-llm', amd, { tensor: 8 })).toEqual(['TensorRT-LLM runs on GPUs of NVIDIA'])
    expect(reasons('sglang', amd, { tensor: 8 })).toEqual([])
  })
})

describe('a warning that none launches a plan', () => {
  const warned = (options: InferenceOptions<PhaseProblem['workload']>, layout = plain) => {
    const asked = inferenceProblem(options) as PhaseProblem
    const answer = legal(evaluateInference(asked, { mesh: { ...unitMesh, tensor: 8 }, layout }, solver))
    return answer.warnings.join()
  }

  const assumptions = { basis: 'calibrated', frameworks: ['vllm', 'sglang'] } as const

  it('is of rules alone, and of memory where that alone is in the way', () => {
    const large = { ...onHosts(8), workload: generation(256, 32_768), assumptions }
    expect(warned({ ...large, workload: generation(16, 8192) })).not.toMatch(/launch/)
    expect(warned(large)).toMatch(
      /does not fit into its memory budget, which is the only reason why vllm, sglang/,
    )
    const apart = { attention: '2d/heads', mlp: '2d', unembedding: '1d' }
    expect(warned(large, apart)).toContain('can launch the plan, whatever')
    expect(warned(large, apart)).not.toContain('memory budget')
  })

  it('says of what serves from other chips alone that it leaves out nothing', () => {
    const asked = { ...onTorus, workload: generation(16, 8192) }
    const sglang = { basis: 'calibrated', frameworks: ['sglang'] } as const
    expect(warned({ ...asked, assumptions: sglang })).toContain('sglang is not what serves a model from such')
    expect(warned({ ...asked, assumptions })).not.toContain('is not what serves')
  })
})
