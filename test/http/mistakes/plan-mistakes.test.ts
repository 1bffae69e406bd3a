/**
 * Mistakes that engineers make in plans, written or as launch files: each is explained in a sentence, with a change
 * that passes the same check.
 */
import { describe, expect, it } from 'vitest'
import { changed } from '../../../api/hints/change.ts'
import { runs } from '../../runs.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

interface Change {
  readonly pointer: string
  readonly value: unknown
}

interface Complaint {
  readonly pointer: string
  readonly says: string
  /** The request with what mends it, in each of the ways that are told. */
  readonly remedies: readonly unknown[]
}

interface Failed {
  readonly pointer: string
  readonly message: string
  readonly nearest?: readonly { readonly changes: readonly Change[] }[]
}

interface Refused {
  readonly pointer: string
  readonly detail: string
  readonly correction?: readonly Change[]
}

/** Changes for a launch file point into the answer, at the request that it was read into. */
function sentAsRead(answer: object, changes: readonly Change[]): unknown {
  return (changed(answer, changes) as { readonly read: { readonly request: unknown } }).read.request
}

async function complaints(body: object): Promise<readonly Complaint[]> {
  const { status, body: answer } = await agent.post('/validate').send(body)
  if (status === 200) {
    const failing = answer.checks.filter(({ ok }: { ok: boolean }) => !ok)
    return failing.map(({ pointer, message, nearest = [] }: Failed) => ({
      pointer,
      says: message,
      remedies: nearest.map(({ changes }) =>
        answer.read ? sentAsRead(answer, changes) : changed(body, changes),
      ),
    }))
  }
  expect([400, 422], JSON.stringify(answer).slice(0, 300)).toContain(status)
  return answer.errors.map(({ pointer, detail, correction }: Refused) => ({
    pointer,
    says: detail,
    remedies: correction ? [changed(body, correction)] : [],
  }))
}

/** The best is looked for on one mesh, where it is not what a case is about. */
const pinned = { data: 1, fsdp: 8, tensor: 1, tensor2: 1, context: 1, expert: 1, pipeline: 1 }
const train = { mode: 'train', batchTokens: 262_144, sequenceLength: 4096 }
const base = {
  model: 'llama-3-8b',
  hardware: { chip: 'h100-sxm', chips: 8 },
  workload: train,
  constraints: pinned,
}
const on = (chips: number) => ({ chip: 'h100-sxm', chips })
const sparse = { ...base, model: 'mixtral-8x7b', hardware: on(16), constraints: { ...pinned, expert: 2 } }
const generate = {
  ...base,
  constraints: { tensor2: 1 },
  workload: { mode: 'generate', batchSequences: 32, contextLength: 8192 },
}
const open = { tensor2: 1, expert: 1, pipeline: 1, context: { max: 8 } }

const megatron = (more: string) =>
  `torchrun --nproc-per-node 8 --nnodes 1 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention --num-query-groups 8 --swiglu --untie-embeddings-and-output-weights --position-embedding-type rope --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --bf16 --use-distributed-optimizer ${more}`

const file = (key: string, text: unknown, more: object = {}) => ({
  model: 'llama-3-8b',
  hardware: on(8),
  constraints: pinned,
  plan: { [key]: text },
  ...more,
})
const serve = { mode: 'serve', promptLength: 1024, outputLength: 256, requestsPerSecond: 1 }
const deployment = (plan: object) => ({
  ...{ model: 'llama-3-8b', hardware: on(8), workload: serve },
  plan: { disaggregated: false, ...plan },
})
const mended = (key: string, value: unknown) => [{ pointer: `/plan/${key}`, value }]
const zero = (stage: number, more: object) => ({
  ...{ zero_optimization: { stage }, bf16: { enabled: true }, train_batch_size: 64 },
  ...more,
})
const sixteen = { workload: { mode: 'train', sequenceLength: 4096 } }

type Row = readonly [string, object, string, RegExp, (readonly Change[])?]

const rows: readonly Row[] = [
  [
    'tensor that does not divide the heads',
    { ...base, plan: { mesh: { tensor: 64 } }, hardware: on(64), constraints: { ...pinned, fsdp: 64 } },
    '/plan/mesh/tensor',
    /heads/,
  ],
  [
    'key-value heads that torchtitan does not copy',
    {
      ...base,
      hardware: on(16),
      plan: { mesh: { tensor: 16 }, zeroStage: 0 },
      constraints: { ...pinned, fsdp: 16 },
      require: { launchableBy: ['torchtitan'] },
    },
    '/require/launchableBy',
    /does not replicate 8 key-value heads over tensor 16/,
  ],
  [
    'experts that are not divided',
    { ...sparse, plan: { mesh: { expert: 16 } } },
    '/plan/mesh/expert',
    /expert/,
  ],
  [
    'more stages than layers',
    { ...base, hardware: on(64), plan: { mesh: { pipeline: 64 } }, constraints: { ...pinned, fsdp: 64 } },
    '/plan/mesh/pipeline',
    /layers/,
  ],
  [
    'axes that are not the chips',
    {
      ...base,
      hardware: on(64),
      plan: { mesh: { fsdp: 16, tensor: 5 } },
      constraints: { ...pinned, fsdp: 64 },
    },
    '/plan/mesh',
    /80|64/,
  ],
  [
    'microbatches that are said twice, and not alike',
    { ...base, plan: { mesh: { fsdp: 8 }, microbatches: 7, microbatchTokens: 4096 } },
    '/plan/microbatchTokens',
    /leave out microbatches or microbatchTokens/,
  ],
  [
    'a slice that there is not',
    { ...base, hardware: { chip: 'tpu-v5p', topology: [3, 5, 7] }, plan: { mesh: { fsdp: 105 } } },
    '/hardware/topology',
    /tpu-v5p/,
    [
      { pointer: '/hardware/topology', value: [4, 4, 4] },
      { pointer: '/plan/mesh/fsdp', value: 64 },
    ],
  ],
  [
    'states of the optimizer that do not fit',
    { ...base, plan: { mesh: { data: 8 }, zeroStage: 0, rematerialization: 'full' } },
    '/memoryBudget',
    /too many; the most.* are optimizer/,
  ],
  [
    'activations that do not fit',
    {
      ...base,
      workload: { ...train, batchTokens: 1_048_576 },
      plan: { mesh: { fsdp: 8 }, microbatches: 1, rematerialization: 'none' },
    },
    '/memoryBudget',
    /too many; the most.* are activations/,
  ],
  [
    'logits that do not fit',
    {
      ...base,
      model: 'gemma-2b',
      workload: { ...train, batchTokens: 1_048_576 },
      plan: { mesh: { fsdp: 8 }, microbatches: 1, rematerialization: 'full' },
    },
    '/memoryBudget',
    /too many; the most.* are (workspace|activations)/,
  ],
  [
    'caches that do not fit',
    {
      ...generate,
      hardware: on(1),
      workload: { ...generate.workload, batchSequences: 512 },
      plan: { mesh: {} },
    },
    '/memoryBudget',
    /too many; the most.* are kvCache/,
  ],
  [
    'tensor across nodes',
    {
      ...base,
      hardware: on(32),
      constraints: open,
      plan: { mesh: { tensor: 32 } },
      require: { withinOfBest: 0.2 },
    },
    '/require/withinOfBest',
    /over the .* of the best/,
  ],
  [
    'weights gathered for each microbatch of a pipeline',
    {
      ...base,
      plan: { mesh: { fsdp: 4, pipeline: 2 }, zeroStage: 3, microbatches: 4 },
      require: { launchableBy: ['megatron'] },
    },
    '/require/launchableBy',
    /does not go with a pipeline/,
  ],
  [
    'context without long sequences',
    {
      ...base,
      hardware: on(16),
      constraints: open,
      workload: { ...train, batchTokens: 524_288, sequenceLength: 2048 },
      plan: { mesh: { context: 16 } },
      require: { withinOfBest: 0.02 },
    },
    '/require/withinOfBest',
    /over the .* of the best/,
  ],
  [
    'a budget in gigabytes',
    { ...base, memoryBudget: 60, plan: { mesh: { fsdp: 8 } } },
    '/memoryBudget',
    /did you mean \{"bytesPerChip":60000000000\}/,
  ],
  [
    'data where fsdp is meant',
    { ...base, plan: { mesh: { data: 8 }, zeroStage: 3 } },
    '/plan/zeroStage',
    /use fsdp 8 instead of data 8/,
  ],
  [
    'experts counted beside data',
    { ...sparse, plan: { mesh: { data: 4, tensor: 4, expert: 4 } } },
    '/plan/mesh',
    /data 4 with expert 4 inside is data 1 x expert 4/,
  ],
  [
    'a schedule that Megatron-LM has not',
    {
      ...base,
      plan: { mesh: { fsdp: 1, data: 4, pipeline: 2 }, zeroStage: 1, pipelineSchedule: 'zb-h1' },
      require: { launchableBy: ['megatron'] },
    },
    '/require/launchableBy',
    /in one piece, zb-h1 in two|zb-h1/,
  ],
  [
    'stages of other layers than there are',
    { ...base, plan: { mesh: { data: 4, pipeline: 2 }, zeroStage: 1, stageLayers: [20, 20] } },
    '/plan/stageLayers',
    /layers/,
    [{ pointer: '/plan/stageLayers', value: [16, 16] }],
  ],
  [
    'an MFU that nobody reaches',
    { ...base, plan: { mesh: { fsdp: 8 }, rematerialization: 'full' }, require: { minMfu: 0.45 } },
    '/require/minMfu',
    /The MFU is/,
  ],
  [
    'fp8 on chips without it',
    {
      ...base,
      hardware: { chip: 'a100-80g-sxm', chips: 8 },
      precision: { compute: 'fp8' },
      plan: { mesh: { fsdp: 8 } },
    },
    '/precision/compute',
    /fp8/,
  ],
  [
    'GPUs that tensor and pipeline do not divide',
    file('megatron', megatron('--tensor-model-parallel-size 3 --sequence-parallel')),
    '/plan/megatron',
    /tensor 3 x pipeline 1 x context 1 do not divide the 8 GPUs/,
    mended('megatron', megatron('--tensor-model-parallel-size 2 --sequence-parallel')),
  ],
  [
    'a global batch that replicas do not divide',
    file('megatron', megatron('').replace('size 64', 'size 63')),
    '/plan/megatron',
    /63 is not divided by --micro-batch-size 1 times the 8/,
    mended('megatron', megatron('')),
  ],
  [
    'stages that do not divide the layers',
    file('megatron', megatron('--pipeline-model-parallel-size 8 --num-layers 30')),
    '/plan/megatron',
    /8 stages do not divide the 30 layers/,
    mended('megatron', megatron('--pipeline-model-parallel-size 8')),
  ],
  [
    'a length that torchtitan takes for itself',
    file('torchtitan', '[model]\nflavor = "8B"\n', sixteen),
    '/workload/sequenceLength',
    /is 4096; the launch file has 2048/,
    mended('torchtitan', '[model]\nflavor = "8B"\n[training]\nseq_len = 4096\nlocal_batch_size = 1\n'),
  ],
  [
    'three sizes of batches that contradict each other',
    file(
      'deepspeed',
      zero(3, { train_micro_batch_size_per_gpu: 3, gradient_accumulation_steps: 2 }),
      sixteen,
    ),
    '/plan/deepspeed',
    /train_batch_size 64 is not .* 3 x .* 2 x 8 ranks/,
    mended('deepspeed', zero(3, { gradient_accumulation_steps: 8 })),
  ],
  [
    'axes of MaxText that are not a slice',
    file('maxtext', 'model_name: llama3-8b\nici_fsdp_parallelism: 4\nici_tensor_parallelism: 3\n', {
      model: undefined,
      hardware: { chip: 'tpu-v5p', topology: [2, 2, 2] },
    }),
    '/plan/maxtext',
    /fsdp_parallelism 4 x ici_tensor_parallelism 3 takes 12 chips of each slice, and the 8 chips .* 1 slice of 8/,
    mended('maxtext', 'model_name: llama3-8b\nper_device_batch_size: 1\n'),
  ],
  [
    'nodes of MaxText that were not asked for',
    file('maxtext', 'model_name: llama3-8b\nhardware: gpu\ndcn_data_parallelism: 8\n', {
      model: undefined,
      hardware: { chip: 'h100-sxm', chips: 8 },
    }),
    '/plan/maxtext',
    /dcn_data_parallelism 8 takes 8 nodes, and the 8 chips of the request are 1 node of 8/,
    mended('maxtext', 'model_name: llama3-8b\nhardware: gpu\nper_device_batch_size: 1\n'),
  ],
  [
    'GPUs of MaxText where TPUs were asked for',
    file('maxtext', 'model_name: llama3-8b\nhardware: gpu\n', {
      model: undefined,
      hardware: { chip: 'tpu-v5p', topology: [2, 2, 2] },
    }),
    '/hardware/chip',
    /tpu-v5p, a TPU; the launch file is for GPUs/,
    mended('maxtext', 'model_name: llama3-8b\nper_device_batch_size: 1\n'),
  ],
  [
    'a model in its command that nobody knows',
    {
      ...file('vllm', 'vllm serve meta-llama/Lama-3-70B -tp 8', { model: undefined, hardware: on(8) }),
      workload: generate.workload,
      constraints: {},
    },
    '/plan/vllm',
    /meta-llama\/Lama-3-70B, which is not in the catalogue; the nearest are llama-3-.*huggingFace/,
  ],
  [
    'heads that a server cannot share out',
    {
      ...file('vllm', 'vllm serve meta-llama/Llama-3-8B -tp 6', { hardware: on(6) }),
      workload: generate.workload,
      constraints: {},
    },
    '/plan/mesh/tensor',
    /heads/,
  ],
  [
    'experts over a part of the chips',
    file(
      'sglang',
      'python -m sglang.launch_server --model mistralai/Mixtral-8x7B-v0.1 --tp 8 --ep 4 --context-length 4096',
      { model: undefined },
    ),
    '/plan/sglang',
    /--ep-size 4 of 8 chips slices each expert over 2, which is not counted/,
    mended(
      'sglang',
      'python -m sglang.launch_server --model mistralai/Mixtral-8x7B-v0.1 --tp 8 --ep 8 --context-length 4096',
    ),
  ],
  [
    'a server of more chips than there are',
    {
      ...file('vllm', 'vllm serve meta-llama/Llama-3-8B -tp 16'),
      workload: generate.workload,
      constraints: {},
    },
    '/plan/vllm',
    /a server takes 16 chips, and there are 8: the nearest are servers of 8 and 16 chips of \/hardware/,
    mended('vllm', 'vllm serve meta-llama/Llama-3-8B -tp 8'),
  ],
  [
    'a server of both phases of more chips than there are',
    { ...file('vllm', 'vllm serve meta-llama/Llama-3-8B -tp 16'), workload: serve, constraints: {} },
    '/plan/vllm',
    /a server takes 16 chips, and there are 8: the nearest are servers of 8 and 16 chips of \/hardware/,
    [{ pointer: '/hardware/chips', value: 16 }],
  ],
  [
    'instances of more chips than there are',
    deployment({ generate: { mesh: { tensor: 16 } } }),
    '/plan/generate/mesh',
    /an instance of 16 chips does not fit into the pool of 8/i,
  ],
  [
    'fewer tokens of a step than sequences',
    deployment({ generate: { mesh: { tensor: 8 } }, maxSequences: 64, stepTokens: 32 }),
    '/plan/stepTokens',
    /32 tokens per step are fewer than the 64 sequences/,
  ],
]

/** That search for what would fit, of which one is enough each day; all of them in a long run. */
const long = [
  'tensor that does not divide the heads',
  'states of the optimizer that do not fit',
  'logits that do not fit',
  'caches that do not fit',
  'experts counted beside data',
  'key-value heads that torchtitan does not copy',
  'a global batch that replicas do not divide',
]

const cases = rows
  .filter(([mistake]) => runs(1) > 1 || !long.includes(mistake))
  .map(([mistake, body, pointer, says, mends]) => ({ mistake, body, pointer, says, mends }))

describe('a plan with', () => {
  it.each(cases)('$mistake is told so, and what is told mends it', async ({ body, pointer, says, mends }) => {
    const found = await complaints(body)
    const complaint = found.find((one) => one.pointer === pointer && says.test(one.says))
    expect(complaint, JSON.stringify(found)).toBeDefined()
    const [remedy] = mends ? [changed(body, mends)] : (complaint?.remedies ?? [])
    expect(remedy, `nothing mends ${complaint?.says}`).toBeDefined()
    const after = await complaints(remedy as object)
    expect(after.filter((one) => one.pointer === pointer && says.test(one.says))).toEqual([])
  })
})
