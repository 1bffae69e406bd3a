/** What each server is told of a written plan. */
import { describe, expect, it } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { knownOf } from '../../../src/launch/read/known-model.ts'
import type { ReadingContext } from '../../../src/launch/read/reading.ts'
import { readSglang } from '../../../src/launch/sglang/read.ts'
import { readTensorrt } from '../../../src/launch/tensorrt-llm/read.ts'
import { readVllm } from '../../../src/launch/vllm/read.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import { partParameters } from '../../../src/model/weight-parts.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { generation, inferenceProblem, prompts, solver } from '../../inference-problem.ts'
import { legal } from '../../legal.ts'
import { inGroups, launched, lines, mixture, onHosts, onTorus, plain, says } from './launched.ts'

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
      const meant = expect.stringMatching(new RegExp(`^${name}: a checkpoint in bf16 is meant`))
      expect(answer.notes).toContainEqual(meant)
    }
    expect(JSON.stringify(answer)).toContain('a checkpoint of llama-3-70b in bf16')
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
      const { experts } = partParameters(mixture)
      // Norms and routers, which are in no part, are whole on each rank as well.
      const count = parameterCount(mixture).total - experts + experts / ranks
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
