/** Mistakes that people in this field make, and the sentence that each needs; every correction is applied and removes its error. */
import { describe, expect, it } from 'vitest'
import { changed } from '../../../api/hints/change.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service()
const evaluating = service({ search: planning })

const train = { mode: 'train', batchTokens: 4_194_304, sequenceLength: 8192 }
const generate = { mode: 'generate', batchSequences: 8, contextLength: 8192 }
const question = { model: 'llama-3-8b', hardware: { chip: 'h100-sxm', chips: 64 }, workload: train }
const v5p = (topology: unknown) => ({ hardware: { chip: 'tpu-v5p', topology } })

interface Fault {
  readonly pointer: string
  readonly detail: string
  readonly correction?: readonly { readonly pointer: string; readonly value: unknown }[]
}

async function faultsOf(body: object, path: string): Promise<readonly Fault[]> {
  const asked = path === '/evaluate' ? evaluating : agent
  const { status, body: answer } = await asked.post(path).send(body)
  if (status === 200) return []
  expect([400, 422]).toContain(status)
  return answer.errors
}

async function expectHelp(body: object, pointer: string, sentence: string, path = '/optimize') {
  const faults = await faultsOf(body, path)
  const fault = faults.find((one) => one.pointer === pointer)
  expect(fault?.detail, JSON.stringify(faults)).toContain(sentence)
  if (!fault?.correction) return false
  const after = await faultsOf(changed(body, fault.correction) as object, path)
  expect(after.map((one) => `${one.pointer} ${one.detail}`)).not.toContain(`${pointer} ${fault.detail}`)
  return true
}

it('of a mode that there is none of hides no mistake beside it', async () => {
  const workload = { mode: 'training', batchTokens: '4M', sequenceLength: 8192, optimiser: 'adamw' }
  const faults = await faultsOf({ ...question, workload, topK: 3 }, '/optimize')
  expect(faults.map(({ pointer }) => pointer).sort()).toEqual([
    '/topK',
    ...['/workload/batchTokens', '/workload/mode', '/workload/optimiser'],
  ])
  const corrections = faults.flatMap(({ correction = [] }) => correction)
  const corrected = changed({ ...question, workload, topK: 3 }, corrections) as object
  expect(await faultsOf(corrected, '/optimize')).toEqual([])
})

describe('a mistake with a correction', () => {
  it.each<[object, string, string]>([
    [{ constraints: { tp: 8 } }, '/constraints/tp', 'did you mean tensor?'],
    [{ constraints: { dp: 8 } }, '/constraints/dp', 'did you mean data?'],
    [{ constraints: { pp: 4 } }, '/constraints/pp', 'did you mean pipeline?'],
    [{ constraints: { ep: 1 } }, '/constraints/ep', 'did you mean expert?'],
    [{ constraints: { cp: 2 } }, '/constraints/cp', 'did you mean context?'],
    [{ constraints: { vpp: 2 } }, '/constraints/vpp', 'did you mean virtualStages?'],
    [{ constraints: { zero: 3 } }, '/constraints/zero', 'did you mean zeroStage?'],
    [{ constraints: { tensor: '<=8' } }, '/constraints/tensor', 'did you mean {"max":8}?'],
    [{ constraints: { tensor: { maximum: 8 } } }, '/constraints/tensor/maximum', 'did you mean max?'],
    [{ constraints: { mesh: { tensor: 8 } } }, '/constraints/mesh', 'belongs in constraints itself'],
    [{ tensor_parallel_size: 8 }, '/tensor_parallel_size', 'did you mean /constraints/tensor?'],
    [{ mesh: { tensor: 8 } }, '/mesh', 'did you mean constraints?'],
    [{ hardware: { gpu: 'h100-sxm', gpus: 64 } }, '/hardware/gpus', 'did you mean chips?'],
    [{ hardware: { gpu: 'h100-sxm', chips: 64 } }, '/hardware/gpu', 'did you mean chip?'],
    [{ gpus: 64, hardware: { chip: 'h100-sxm' } }, '/gpus', 'did you mean /hardware/chips?'],
    [{ gpu: 'h100-sxm', hardware: { chips: 8 } }, '/gpu', 'did you mean /hardware/chip?'],
    [{ cluster: question.hardware, hardware: undefined }, '/cluster', 'did you mean hardware?'],
    [{ hardware: '8xh100-sxm' }, '/hardware', 'did you mean {"chip":"h100-sxm","chips":8}?'],
    [{ hardware: { chip: 'h100-sxm', chips: '64' } }, '/hardware/chips', 'did you mean 64?'],
    [v5p('4,4,4'), '/hardware/topology', 'did you mean [4,4,4]?'],
    [v5p('4x8x8_twisted'), '/hardware/topology', '4x8x8 is costed as a plain torus'],
    [v5p([3, 5, 7]), '/hardware/topology', 'tpu-v5p'],
    [{ hardware: { chip: 'h100sxm', chips: 8 } }, '/hardware/chip', 'the nearest are h100-sxm'],
    [{ memoryBudget: 60 }, '/memoryBudget', 'did you mean {"bytesPerChip":60000000000}?'],
    [{ memoryBudget: '60GB' }, '/memoryBudget', 'did you mean {"bytesPerChip":60000000000}?'],
    [{ memoryBudget: 0.8 }, '/memoryBudget', 'did you mean {"fraction":0.8}?'],
    [{ memoryBudget: 0 }, '/memoryBudget', 'did you mean {"fraction":1}?'],
    [{ memoryBudget: { fraction: 0 } }, '/memoryBudget/fraction', 'did you mean 1?'],
    [{ memoryBudget: { bytesPerChip: 0 } }, '/memoryBudget/bytesPerChip', 'bytes of HBM that h100-sxm has'],
    [{ memoryBudget: { fraction: 90 } }, '/memoryBudget/fraction', 'did you mean 0.9?'],
    [{ memoryBudget: { gb: 60 } }, '/memoryBudget/gb', 'did you mean bytesPerChip?'],
    [{ gpuMemoryUtilization: 0.9 }, '/gpuMemoryUtilization', 'did you mean memoryBudget?'],
    [{ workload: { mode: 'generate', contextLength: 8192 } }, '/workload/batchSequences', 'or "max"'],
    [{ workload: { ...generate, batchSequences: 'all' } }, '/workload/batchSequences', 'did you mean max?'],
    [{ workload: { ...generate, mode: 'decode' } }, '/workload/mode', 'did you mean generate?'],
    [{ workload: { ...train, mode: 'pretraining' } }, '/workload/mode', 'did you mean train?'],
    [{ workload: { batchSequences: 8, contextLength: 8192 } }, '/workload/mode', 'one of train, prefill'],
    [
      { workload: { mode: 'generate', batchSize: 8, contextLength: 1 } },
      '/workload/batchSize',
      'batchSequences?',
    ],
    [{ workload: { mode: 'generate', batchSequences: 8, seqLen: 9 } }, '/workload/seqLen', 'contextLength?'],
    [
      { workload: { ...train, batchTokens: 512 } },
      '/workload/batchTokens',
      'batchSequences (--batch 512seqs)',
    ],
    [
      { workload: { ...train, batchTokens: 1e6, sequenceLength: 1e8 } },
      '/workload/batchTokens',
      'fewer than the 100000000 of one sequence',
    ],
    [{ workload: { ...train, batchTokens: '4M' } }, '/workload/batchTokens', 'did you mean 4194304?'],
    [{ workload: { ...train, sequenceLength: '8k' } }, '/workload/sequenceLength', 'did you mean 8192?'],
    [{ workload: { ...train, optimizer: 'adam' } }, '/workload/optimizer', 'did you mean adamw?'],
    [{ workload: { ...train, schedule: '1F1B' } }, '/workload/schedule', 'did you mean ["1f1b"]?'],
    [
      { workload: { ...train, recompute: ['full'] } },
      '/workload/recompute',
      'did you mean rematerialization?',
    ],
    [
      { workload: { mode: 'train', batchTokens: 4096 }, seq_length: 4096 },
      '/seq_length',
      '/workload/sequenceLength?',
    ],
    [{ workload: { mode: 'train', sequenceLength: 4096 }, gbs: 64 }, '/gbs', '/workload/batchSequences?'],
    [
      { workload: { mode: 'serve', promptLength: 9, outputLength: 9, qps: 2 } },
      '/workload/qps',
      'requestsPerSecond?',
    ],
    [{ workload: { mode: 'serve', isl: 9, outputLength: 9 } }, '/workload/isl', 'did you mean promptLength?'],
    [{ precision: 'fp8' }, '/precision', 'did you mean {"weights":"fp8","compute":"fp8"}?'],
    [{ precision: { compute: 'fp16' } }, '/precision/compute', 'did you mean bf16?'],
    [{ dtype: 'bf16' }, '/dtype', 'did you mean precision?'],
    [{ objective: 'throughput' }, '/objective', 'did you mean throughputPerChip?'],
    [{ timeoutMs: 120_000 }, '/timeoutMs', 'did you mean 60000?'],
    [{ topK: 3 }, '/topK', 'did you mean top?'],
    [{ assumptions: { frameworks: 'megatron-lm' } }, '/assumptions/frameworks', 'did you mean ["megatron"]?'],
    [{ model: { name: 'llama-3-70b' } }, '/model', 'did you mean llama-3-70b?'],
    [{ model: { model_type: 'llama', hidden_size: 4096 } }, '/model', 'did you mean {"huggingFace":'],
    [{ model: 'lama-3-8b' }, '/model', 'the nearest are llama-3-8b'],
    [{ model: 'llama-3.1-450b' }, '/model', 'the nearest are llama-3.1-405b'],
    [{ hardware: { chip: 'h100-smx', chips: 64 } }, '/hardware/chip', 'GET /hardware has all'],
    [{ memoryBudget: { fraction: 2 } }, '/memoryBudget/fraction', 'give bytes as bytesPerChip'],
  ])('%j is told what was meant', async (change, pointer, sentence) => {
    expect(await expectHelp({ ...question, ...change }, pointer, sentence)).toBe(true)
  })

  const mixture = { ...question, model: 'mixtral-8x7b' }

  it.each<[object, string, string]>([
    [{ plan: { mesh: { tp: 8, data: 8 } } }, '/plan/mesh/tp', 'did you mean tensor?'],
    [
      { workload: { ...train, batchTokens: 64 }, plan: { mesh: { data: 64 } } },
      '/workload/batchTokens',
      'batchSequences (--batch 64seqs)',
    ],
    [
      {
        workload: { mode: 'train', batchTokens: 64 },
        plan: { megatron: 'pretrain_gpt.py --seq-length 8192 --micro-batch-size 1 --bf16' },
      },
      '/workload/batchTokens',
      'batchSequences (--batch 64seqs)',
    ],
    [{ plan: { tensor: 8, data: 8 } }, '/plan/tensor', 'did you mean /plan/mesh/tensor?'],
    [{ mesh: { tensor: 8, data: 8 } }, '/mesh', 'did you mean /plan/mesh?'],
    [
      { plan: { mesh: { fsdp: 64 }, recompute: 'full' } },
      '/plan/recompute',
      'did you mean rematerialization?',
    ],
    [{ plan: { mesh: { fsdp: 64 }, zero_stage: 3 } }, '/plan/zero_stage', 'did you mean zeroStage?'],
    [
      { ...mixture, plan: { mesh: { data: 8, tensor: 8, expert: 8 } } },
      '/plan/mesh',
      'data 8 with expert 8 inside is data 1 x expert 8',
    ],
    [
      { ...mixture, workload: generate, plan: { mesh: { tensor: 64, expert: 8 } } },
      '/plan/mesh',
      'not a part of tensor as in vLLM',
    ],
    [{ plan: { mesh: { data: 64 }, zeroStage: 3 } }, '/plan/zeroStage', 'use fsdp 64 instead of data 64'],
    [{ plan: { mesh: { data: 64 }, batchSequences: 8 } }, '/plan/batchSequences', 'no part in mode train'],
    [
      { plan: { mesh: { data: 64 }, zeroStage: 2, stageLayers: [16, 16] } },
      '/plan/stageLayers',
      'stageLayers has 2 stages',
    ],
  ])('%j of /evaluate is told what was meant', async (change, pointer, sentence) => {
    expect(await expectHelp({ ...question, ...change }, pointer, sentence, '/evaluate')).toBe(true)
  })
})

describe('a mistake that only its author can correct', () => {
  it.each<[object, string, string]>([
    [{ hardware: { chip: 'h100-sxm', nodes: 8 } }, '/hardware/nodes', 'chips are counted, not nodes'],
    [{ hardware: { chip: 'h100-sxm' } }, '/hardware', 'the number of chips, or the shape of a torus'],
    [{ hardware: 'h100-sxm' }, '/hardware', 'such as {"chip": "h100-sxm", "chips": 8}'],
    [{ workload: { ...train, microBatchSize: 1 } }, '/workload/microBatchSize', '/constraints/microbatches'],
    [{ workload: { mode: 'prefill', promptLength: 8 } }, '/workload/batchSequences', 'Prompts in one batch'],
    [{ workload: 'train' }, '/workload', 'such as {"mode": "train"'],
    [{ timeout: 30 }, '/timeout', 'timeoutMs says it, in milliseconds'],
    [
      { hardware: { chip: 'abacus', chips: 8 } },
      '/hardware/chip',
      'no chip is named abacus; GET /hardware has all',
    ],
    [{ hardware: { chip: 'trn2', chips: 16 } }, '/hardware/chip', 'none of the frameworks'],
    [{ hardware: { chip: 'v100-sxm2', chips: 8 } }, '/hardware/chip', 'no bf16'],
    [{ lora: { rank: 16 } }, '/lora', 'adapters (LoRA) over frozen weights cannot be said'],
    [{ learningRate: 1e-4 }, '/learningRate', 'neither time nor memory'],
  ])('%j is told what to say', async (change, pointer, sentence) => {
    expect(await expectHelp({ ...question, ...change }, pointer, sentence)).toBe(false)
  })
})

it('what follows from another mistake is not told', async () => {
  const faults = await faultsOf({ ...question, hardware: undefined, gpu: 'h100-sxm', gpus: 8 }, '/optimize')
  expect(faults.map(({ pointer }) => pointer)).toEqual(['/gpu', '/gpus'])
  const corrections = faults.flatMap(({ correction = [] }) => correction)
  expect(await faultsOf(changed(question, corrections) as object, '/optimize')).toEqual([])
})

it.each(['megatron', 'torchtitan', 'maxtext'])('an empty file of %s is told to be one', async (framework) => {
  const [fault] = await faultsOf({ ...question, plan: { [framework]: '' } }, '/evaluate')
  expect(fault).toMatchObject({ pointer: `/plan/${framework}`, detail: expect.stringContaining('is empty') })
  expect(fault?.correction).toBeUndefined()
})
