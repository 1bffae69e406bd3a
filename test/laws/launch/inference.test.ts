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
import { spelledOut } from '../../../src/model/spelling.ts'
import { byPart, partParameters, type WeightPart, weightParts } from '../../../src/model/weight-parts.ts'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import type { PhaseProblem, Precision } from '../../../src/problem.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import {
  generation,
  type InferenceOptions,
  inferenceProblem,
  prompts,
  solver,
} from '../../inference-problem.ts'
import { unknownOptions } from '../../launch/server/options.ts'
import { legal } from '../../legal.ts'
import { generateProblems, prefillProblems } from '../inference/problems.ts'

interface Unsupported {
  readonly unsupported: readonly string[]
}

interface Launched {
  readonly vllm: readonly string[] | Unsupported
  readonly sglang?: readonly string[] | Unsupported
  readonly 'tensorrt-llm'?: Readonly<Record<string, unknown>> | Unsupported
  readonly maxtext?: Readonly<Record<string, unknown>> | Unsupported
  readonly notes?: readonly string[]
}

type Framework = Exclude<keyof Launched, 'notes'>

const plain = { attention: '1d/heads', mlp: '1d', unembedding: '1d' }

function launched(
  problem: PhaseProblem,
  mesh: Partial<Mesh>,
  layout: Readonly<Record<string, string>> = plain,
): Launched {
  const answer = legal(evaluateInference(problem, { mesh: { ...unitMesh, ...mesh }, layout }, solver))
  expect(unknownOptions(answer.plan.launch)).toEqual([])
  return answer.plan.launch as unknown as Launched
}

const onHosts = (chips: number, more: Partial<InferenceOptions<never>> = {}) => ({
  model: 'llama-3-70b',
  chip: 'h100-sxm',
  chips,
  ...more,
})

const onTorus = { model: 'llama-3-70b', chip: 'tpu-v5p', topology: [2, 2, 2] }

const mixture = spelledOut('experts', {
  ...{ layers: 16, dModel: 2048, dFf: 5632, heads: 16, kvHeads: 16, vocab: 151936 },
  ...{ gatedMlp: true, tiedEmbeddings: false },
  moe: { experts: 8, activeExperts: 2, dFfExpert: 1408, denseLayers: 1 },
})

/** Attention in groups with sequences of their own, and all else in `rest`. */
const inGroups = (attention: string, rest: string) => ({ attention, mlp: rest, unembedding: rest })

const lines = (...words: readonly string[]) => words.join(' ').split(' ')

const quoted = (flags: unknown) => (flags as readonly string[]).map((one) => `'${one}'`).join(' ')

/** These flags, one behind the other. */
function says(flags: readonly string[] | Unsupported | undefined, some: string): void {
  expect(Array.isArray(flags) ? flags.join(' ') : flags).toContain(some)
}

describe('steps of many sequences', () => {
  const of = (sequences: number, tensor: number) =>
    launched(
      inferenceProblem({ ...onHosts(tensor), model: 'llama-3-8b', workload: generation(sequences, 256) }),
      { tensor },
    )

  it('have graphs where servers capture none unless told, and are not told of what they capture', () => {
    const [few, many] = [of(256, 1), of(600, 8)]
    for (const { vllm, sglang } of [few]) {
      expect([vllm, sglang].flat().join(' ')).not.toMatch(/graph/)
    }
    says(of(257, 2).sglang, '--cuda-graph-max-bs 257')
    says(many.vllm, '--max-cudagraph-capture-size 600')
    says(many.sglang, '--cuda-graph-max-bs 600')
    for (const [launch, sequences] of [
      [few, 256],
      [many, 600],
    ] as const) {
      expect(launch['tensorrt-llm']).toMatchObject({
        cuda_graph_config: { enable_padding: true, max_batch_size: sequences },
      })
    }
  })
})

describe('a quantised checkpoint', () => {
  const parameterBytes = byPart(() => 0.53125)
  const fp4 = { weights: 'fp4', compute: 'bf16' } as const
  const fp8 = { weights: 'fp8', compute: 'fp8' } as const
  const experts = { attention: '1d/heads', experts: '1d/sliced', unembedding: '1d' }
  const workload = generation(4, 4096)

  it('of experts in four bits beside bf16 is for every framework, of a dense model for vLLM alone', () => {
    const gptOss = onHosts(1, { model: 'gpt-oss-120b' })
    const sparse = launched(
      inferenceProblem({ ...gptOss, workload, precision: { ...fp4, parameterBytes } }),
      {},
      experts,
    )
    says(sparse.vllm, '--dtype bfloat16')
    says(sparse.sglang, '--dtype bfloat16')
    expect(sparse['tensorrt-llm']).not.toHaveProperty('unsupported')
    expect(sparse.notes).toContainEqual(expect.stringContaining('MXFP4'))
    const dense = launched(inferenceProblem({ ...onHosts(1), workload, precision: fp4 }), {})
    says(dense.vllm, '--dtype bfloat16')
    for (const framework of ['sglang', 'tensorrt-llm'] as const) {
      expect(dense[framework]).toEqual({ unsupported: [expect.stringContaining('in experts alone')] })
    }
  })

  it('is not quantised again by a flag', () => {
    const plainly = launched(inferenceProblem({ ...onHosts(2), workload, precision: fp8 }), { tensor: 2 })
    const stored = { ...fp8, parameterBytes: byPart(() => 1) }
    const itself = launched(inferenceProblem({ ...onHosts(2), workload, precision: stored }), { tensor: 2 })
    for (const framework of ['vllm', 'sglang'] as const) {
      says(plainly[framework], '--quantization fp8')
      expect(itself[framework]).not.toContain('--quantization')
    }
    expect(itself.notes).toContainEqual(expect.stringContaining('load a checkpoint with weights in fp8'))
  })

  it('takes the bytes of its parts, in memory and in what no layout beats', () => {
    const gptOss = onHosts(1, { model: 'gpt-oss-120b' })
    const part = (of: WeightPart) => (of === 'experts' ? 0.53125 : 2)
    const planOf = (precision: Partial<Precision>) => {
      const problem = inferenceProblem({ ...gptOss, workload, precision })
      const answer = legal(evaluateInference(problem, { mesh: unitMesh, layout: experts }, solver))
      return answer.plan
    }
    const stored = planOf({ ...fp4, parameterBytes: byPart(part) })
    const parameters = partParameters(inferenceProblem({ ...gptOss, workload }).model)
    const bytes = weightParts.reduce((sum, of) => sum + parameters[of] * part(of), 0)
    expect(stored.memoryBytes.parameters / bytes).toBeCloseTo(1, 9)
    const alone = planOf(fp4)
    expect(stored.floorSeconds).toBeGreaterThan(alone.floorSeconds)
    expect(stored.stepTimeSeconds).toBeGreaterThan(alone.stepTimeSeconds)
    expect(planOf({ ...fp4, parameterBytes: byPart(() => 0.5) })).toMatchObject({
      stepTimeSeconds: alone.stepTimeSeconds,
      floorSeconds: alone.floorSeconds,
      criticalBatchTokens: alone.criticalBatchTokens,
    })
  })
})

describe('what is typed to serve a plan', () => {
  it('says mesh, batch and room, not mean context, to each framework', () => {
    const workload = generation(64, 8192, { meanContextLength: 4096 })
    const answer = launched(inferenceProblem({ ...onHosts(8), workload }), { tensor: 4, data: 2 })
    expect(answer.vllm).toEqual(
      lines(
        '--tensor-parallel-size 4 --data-parallel-size 2 --max-model-len 8192 --max-num-seqs 32',
        '--gpu-memory-utilization 0.93 --dtype bfloat16 --kv-cache-dtype bfloat16',
      ),
    )
    // Of the chip the reserve, 7 %, and the workspace are not lasting.
    expect(answer.sglang).toEqual(
      lines(
        '--tp-size 4 --dp-size 2 --context-length 8192 --max-running-requests 32',
        '--mem-fraction-static 0.929 --dtype bfloat16 --kv-cache-dtype bf16',
      ),
    )
    expect(answer['tensorrt-llm']).toEqual({
      tensor_parallel_size: 4,
      pipeline_parallel_size: 1,
      max_batch_size: 32,
      cuda_graph_config: { enable_padding: true, max_batch_size: 32 },
      // Sequences grow to twice their mean: room to their end would let half as many run.
      scheduler_config: { capacity_scheduler_policy: 'MAX_UTILIZATION' },
      max_seq_len: 8192,
      kv_cache_config: { dtype: 'auto', free_gpu_memory_fraction: expect.closeTo(0.92, 1) },
    })
    expect(answer.notes).toContainEqual(expect.stringContaining('TensorRT-LLM: start 2 servers'))
    expect(answer.notes).not.toContainEqual(expect.stringContaining('SGLang: start'))
  })

  it('gives a pipeline its groups, and fp8 its names', () => {
    const precision = { weights: 'fp8', compute: 'fp8', kvCache: 'fp8' } as const
    const problem = inferenceProblem({ ...onHosts(16), workload: generation(64, 8192), precision })
    const answer = launched(problem, { tensor: 4, pipeline: 4 })
    expect(answer.vllm).toEqual(
      lines(
        '--tensor-parallel-size 4 --pipeline-parallel-size 4 --max-model-len 8192 --max-num-seqs 64',
        '--gpu-memory-utilization 0.93 --dtype bfloat16 --quantization fp8 --kv-cache-dtype fp8',
      ),
    )
    says(answer.sglang, '--pp-size 4 --pp-max-micro-batch-size 16')
    says(answer.sglang, '--max-running-requests 64')
    expect(answer['tensorrt-llm']).toMatchObject({ pipeline_parallel_size: 4, max_batch_size: 16 })
    expect(answer.notes).toContainEqual(expect.stringContaining('vLLM does not split sequences evenly'))
    expect(answer.notes).toContainEqual(expect.stringMatching(/^TensorRT-LLM: load a checkpoint .* fp8/))
    expect(answer.notes).not.toContainEqual(expect.stringMatching(/^(vLLM|SGLang): load/))
    for (const name of ['vLLM', 'SGLang']) {
      const meant = expect.stringMatching(new RegExp(`^${name}: a checkpoint in fp8 is meant`))
      expect(answer.notes).toContainEqual(meant)
    }
    expect(JSON.stringify(answer)).toContain('a checkpoint of llama-3-70b in fp8')
  })

  it('gives prefill room for a token behind the prompt, and the chunks of the plan', () => {
    const chunked = inferenceProblem({ ...onHosts(8), workload: prompts(4, 8000, { chunkTokens: 2000 }) })
    const answer = launched(chunked, { tensor: 8 })
    says(answer.vllm, '--max-model-len 8001 --max-num-seqs 4 --max-num-batched-tokens 8000')
    says(answer.sglang, '--chunked-prefill-size 8000')
    expect(answer['tensorrt-llm']).toMatchObject({
      max_seq_len: 8001,
      max_num_tokens: 8000,
      enable_chunked_prefill: true,
    })
    const whole = launched(inferenceProblem({ ...onHosts(8), workload: prompts(2, 1000) }), { tensor: 8 })
    says(whole.sglang, '--chunked-prefill-size -1')
    expect(whole['tensorrt-llm']).toMatchObject({ max_num_tokens: 2000, enable_chunked_prefill: false })
  })

  it('serves from a torus by vLLM and MaxText alone', () => {
    const problem = inferenceProblem({ ...onTorus, workload: generation(64, 8192) })
    const answer = launched(problem, { tensor: 4, tensor2: 2 })
    expect(Object.keys(answer)).toEqual(['vllm', 'maxtext', 'commands', 'notes', 'stepTimeSeconds'])
    says(answer.vllm, '--tensor-parallel-size 8')
    const { model } = problem
    const spelled = {
      decoder_block: 'llama2',
      base_num_decoder_layers: model.layers,
      base_emb_dim: model.dModel,
      base_mlp_dim: model.dFf,
      base_num_query_heads: model.heads,
      base_num_kv_heads: model.kvHeads,
      head_dim: model.headDim,
      vocab_size: model.vocab,
      mlp_activations: ['silu', 'linear'],
      logits_via_embedding: model.tiedEmbeddings,
    }
    const own = { ...problem, model: { ...model, name: 'of-our-own' } }
    const told = launched(own, { tensor: 4, tensor2: 2 })
    expect(told.maxtext).toMatchObject(spelled)
    expect(told.maxtext).not.toHaveProperty('model_name')
    expect(told.notes).toContainEqual(expect.stringContaining('no model of this name'))
    expect(answer.maxtext).toEqual({
      model_name: 'llama3-70b',
      ici_data_parallelism: 1,
      ici_fsdp_parallelism: 1,
      ici_tensor_parallelism: 8,
      per_device_batch_size: 8,
      max_target_length: 8192,
      dtype: 'bfloat16',
      weight_dtype: 'bfloat16',
    })
    const quantised = inferenceProblem({
      ...onTorus,
      workload: generation(64, 8192),
      precision: { weights: 'int8', compute: 'int8', kvCache: 'int4' },
    })
    expect(launched(quantised, { tensor: 8 }).maxtext).toMatchObject({
      quantization: 'int8',
      checkpoint_is_quantized: true,
      quantize_kvcache: true,
      kv_quant_dtype: 'int4',
    })
  })

  it('shares out the positions of a single key-value head as decode context parallelism', () => {
    const layout = { ...plain, attention: '1d/sequence' }
    const problem = inferenceProblem({ ...onHosts(8), model: 'gemma-2b', workload: generation(16, 8192) })
    const answer = launched(problem, { tensor: 8 }, layout)
    says(answer.vllm, '--decode-context-parallel-size 8')
    expect(answer.sglang).toEqual({ unsupported: [expect.stringContaining('latent')] })
  })

  it('shares out attention by sequences where a framework does', () => {
    const problem = inferenceProblem({ ...onTorus, workload: generation(64, 8192) })
    const answer = launched(
      problem,
      { tensor: 4, tensor2: 2 },
      inGroups('copied/heads-batch', '1d-sequences'),
    )
    const strategy = '{"enable_dp_attention":true,"attn_dp_size":2}'
    says(
      answer.vllm,
      `--additional-config {"sharding":{"sharding_strategy":${strategy}}} --max-model-len 8192`,
    )
    says(answer.vllm, '--max-num-seqs 32')
    expect(answer.notes).toContainEqual(expect.stringContaining('NEW_MODEL_DESIGN=1'))
  })

  it('shares out attention by sequences on GPUs beside experts', () => {
    const model = mixture
    // 63 sequences are 32 on a replica, and 8 on each of its four groups.
    const problem = inferenceProblem({ ...onHosts(8), model, workload: generation(63, 4096) })
    const layout = { ...inGroups('copied-all/batch', 'copied-all'), experts: '1d-sequences/sliced' }
    const answer = launched(problem, { tensor: 4, data: 2 }, layout)
    says(answer.vllm, '--tensor-parallel-size 1 --data-parallel-size 4 --max-model-len 4096 --max-num-seqs 8')
    const attends = '--tp-size 4 --enable-dp-attention --dp-size 4'
    const most = '--context-length 4096 --max-running-requests 32'
    says(answer.sglang, `${attends} --moe-dense-tp-size 1 --enable-dp-lm-head ${most}`)
    expect(answer['tensorrt-llm']).toMatchObject({ enable_attention_dp: true, max_batch_size: 8 })
    expect(answer.notes).toContainEqual(expect.stringContaining('vLLM: start 2 servers'))
    const together = { ...inGroups('copied-all/batch', '1d-sequences'), experts: '1d-sequences/sliced' }
    const all = launched(problem, { tensor: 4, data: 2 }, together)
    says(all.sglang, `${attends} ${most}`)
    for (const framework of ['vllm', 'tensorrt-llm'] as const) {
      expect(all[framework]).toEqual({ unsupported: [expect.stringContaining('has mlp in copied-all')] })
    }
  })

  it('gathers tokens to whole experts beside attention by sequences, or sends them', () => {
    const problem = inferenceProblem({ ...onHosts(8), model: mixture, workload: generation(64, 4096) })
    const layout = { ...inGroups('copied-all/batch', 'copied-all'), experts: '1d-sequences/spread' }
    const answer = launched(problem, { tensor: 8 }, layout)
    says(
      answer.vllm,
      '--tensor-parallel-size 1 --data-parallel-size 8 --enable-expert-parallel --max-model-len 4096',
    )
    says(answer.sglang, '--dp-size 8 --ep-size 8 --moe-dense-tp-size 1')
    expect(answer['tensorrt-llm']).toEqual({
      unsupported: [expect.stringContaining('that is mesh expert 8')],
    })
  })

  it('has whole experts on chips that have sequences of their own', () => {
    const problem = inferenceProblem({ ...onHosts(16), model: mixture, workload: generation(256, 4096) })
    const answer = launched(problem, { expert: 8, data: 2 }, { ...plain, experts: '1d/dispatched' })
    says(answer.vllm, '--tensor-parallel-size 1 --data-parallel-size 8 --enable-expert-parallel')
    says(answer.vllm, '--all2all-backend deepep_low_latency --max-model-len 4096 --max-num-seqs 16')
    says(answer.sglang, '--tp-size 8 --enable-dp-attention --dp-size 8 --ep-size 8 --moe-a2a-backend deepep')
    says(answer.sglang, '--moe-dense-tp-size 1')
    expect(answer['tensorrt-llm']).toMatchObject({
      tensor_parallel_size: 8,
      moe_expert_parallel_size: 8,
      enable_attention_dp: true,
    })
    expect(answer.notes).toContainEqual(expect.stringContaining('vLLM: start 2 servers'))
  })

  it.each([
    ['gpt-oss-120b', /does not send tokens of gpt-oss-120b/],
    ['qwen3-235b-a22b', null],
  ])('sends tokens of %s to experts where SGLang has a path for them', (model, refusal) => {
    const problem = inferenceProblem({ ...onHosts(8), model, workload: generation(64, 4096) })
    const { mlp: _dense, ...others } = plain
    const { sglang } = launched(problem, { expert: 8 }, { ...others, experts: '1d/dispatched' })
    if (refusal) expect(sglang).toEqual({ unsupported: [expect.stringMatching(refusal)] })
    else says(sglang, '--moe-a2a-backend deepep')
  })

  it('has whole attention weights on each rank that attends to its own sequences, whichever way tokens go to experts', () => {
    const model = knownOf(mixture)
    const problem = (chips: number) =>
      inferenceProblem({ ...onHosts(chips), model: mixture, workload: generation(64, 4096) })
    const readings = (ranks: number, context: ReadingContext) => [
      ...['', 'allgather_reducescatter', 'naive', 'deepep_low_latency', 'flashinfer_all2allv'].map(
        (backend) =>
          readVllm(
            `vllm serve m --data-parallel-size ${ranks} --enable-expert-parallel ${backend && `--all2all-backend ${backend}`}`,
            context,
          ),
      ),
      readVllm(`vllm serve m --data-parallel-size ${ranks}`, context),
      readTensorrt(null, { tensor_parallel_size: ranks, enable_attention_dp: true }, context),
      ...['none', 'deepep'].map((backend) =>
        readSglang(
          `python3 -m sglang.launch_server --model-path m --tp ${ranks} --dp ${ranks} --ep ${ranks} --enable-dp-attention --moe-dense-tp-size 1 --enable-dp-lm-head --moe-a2a-backend ${backend}`,
          context,
        ),
      ),
      readTensorrt(
        null,
        { tensor_parallel_size: ranks, moe_expert_parallel_size: ranks, enable_attention_dp: true },
        context,
      ),
    ]
    for (const ranks of [2, 4, 8]) {
      const { experts, ...whole } = partParameters(mixture)
      const count = Object.values(whole).reduce((sum, part) => sum + part, experts / ranks)
      for (const reading of readings(ranks, { chips: ranks, slices: 1, mode: 'generate', model })) {
        const { mesh, layout } = reading.plan as { mesh: Mesh; layout: Record<string, string> }
        const answer = legal(
          evaluateInference(problem(ranks), { mesh: { ...unitMesh, ...mesh }, layout }, solver),
        )
        expect(answer.plan.memoryBytes.parameters / (2 * count)).toBeCloseTo(1, 6)
      }
    }
  })

  it('has whole experts on chips that share each sequence', () => {
    const problem = inferenceProblem({ ...onHosts(8), model: mixture, workload: generation(64, 4096) })
    const answer = launched(problem, { tensor: 8 }, { ...plain, experts: '1d/spread' })
    says(answer.vllm, '--tensor-parallel-size 8 --enable-expert-parallel --max-model-len')
    says(answer.sglang, '--tp-size 8 --ep-size 8 --context-length')
    expect(answer['tensorrt-llm']).toMatchObject({ tensor_parallel_size: 8, moe_expert_parallel_size: 8 })
    const sliced = launched(problem, { tensor: 8 }, { ...plain, experts: '1d/sliced' })
    expect(sliced['tensorrt-llm']).not.toHaveProperty('moe_expert_parallel_size')
  })

  it('does not slice experts that it shares out', () => {
    const problem = inferenceProblem({ ...onHosts(8), model: mixture, workload: generation(64, 4096) })
    const answer = launched(problem, { tensor: 2, expert: 4 }, { ...plain, experts: '1d/dispatched' })
    expect(answer.vllm).toEqual({ unsupported: [expect.stringContaining('the plan slices each over 2')] })
  })
})

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
      expect(told(18)[framework]).toEqual({
        unsupported: ['the 18 chips of a server do not lie evenly on hosts of 4'],
      })
    }
    for (const chips of [4, 8, 12]) {
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
    expect(reasons('maxtext', onTorus, { tensor: 8 }, layout)).toContain(
      'MaxText shards caches by heads alone',
    )
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
      expect.stringContaining('at most 2; the plan among 16'),
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
      const room = workload.mode === 'prefill' ? workload.promptLength + 1 : workload.contextLength
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
