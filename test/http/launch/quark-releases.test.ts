/** AMD's releases in MXFP4, whose weights and what meets them are in four bits, are multiplied so where the chip can, whoever names them. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const generate = { mode: 'generate', contextLength: 2048, batchSequences: 256 }

async function evaluated(chip: string, plan: object, more: object = {}) {
  const { status, body } = await agent
    .post('/evaluate')
    .send({ hardware: { chip, chips: 8 }, workload: generate, plan, ...more })
  expect([status, body.errors]).toEqual([200, undefined])
  const { weights, compute } = body.assumed?.precision ?? body.precision
  return { types: `${weights}/${compute}`, step: body.plan.stepTimeSeconds as number }
}

const vllm = (model: string) => ({ vllm: `vllm serve ${model} -tp 8 --max-num-seqs 256` })
const sglang = (model: string) => ({
  sglang: `python3 -m sglang.launch_server --model-path ${model} --tp 8 --max-running-requests 256`,
})

describe.each([
  'amd/DeepSeek-R1-0528-MXFP4',
  'amd/DeepSeek-R1-MXFP4',
  'amd/Llama-3.1-405B-Instruct-MXFP4-Preview',
])('%s', (model) => {
  it('is multiplied in four bits on MI355X, and unpacked on MI300X', async () => {
    for (const plan of [vllm(model), sglang(model)]) {
      expect((await evaluated('mi355x', plan)).types).toBe('mxfp4/mxfp4')
      expect((await evaluated('mi300x', plan)).types).toBe('mxfp4/bf16')
    }
  })

  it('is taken with the type of its matmuls beside it', async () => {
    const precision = { compute: 'mxfp4' }
    expect((await evaluated('mi355x', vllm(model), { precision })).types).toBe('mxfp4/mxfp4')
  })
})

it('prompts in four bits are no slower to read than in eight', async () => {
  const more = { workload: { mode: 'prefill', promptLength: 8192, batchSequences: 8 } }
  const of = async (model: string) =>
    (await evaluated('mi355x', { vllm: `vllm serve ${model} -tp 8` }, more)).step
  expect(await of('amd/DeepSeek-R1-0528-MXFP4')).toBeLessThan(await of('deepseek-ai/DeepSeek-R1-0528'))
})

it.each([
  ['openai/gpt-oss-120b', 'mxfp4/bf16'],
  ['amd/gpt-oss-120b-w-mxfp4-a-fp8', 'mxfp4/fp8'],
])('%s is as it says: %s', async (model, types) => {
  expect((await evaluated('mi355x', vllm(model))).types).toBe(types)
})

it('a config.json of Quark says both types', async () => {
  const quark = (input: object | null) => ({
    quant_method: 'quark',
    global_quant_config: { weight: { dtype: 'fp4', group_size: 32 }, input_tensors: input },
    exclude: ['lm_head', 'model.layers.*.self_attn*'],
  })
  const model = (quantization_config: object) => ({
    huggingFace: {
      ...{ model_type: 'llama', hidden_size: 8192, num_hidden_layers: 80, num_attention_heads: 64 },
      ...{ num_key_value_heads: 8, intermediate_size: 28_672, vocab_size: 128_256, quantization_config },
    },
  })
  const of = (input: object | null) =>
    evaluated('mi355x', { mesh: { tensor: 8 } }, { model: model(quark(input)) })
  expect((await of({ dtype: 'fp4', group_size: 32 })).types).toBe('mxfp4/mxfp4')
  expect((await of(null)).types).toBe('mxfp4/bf16')
})
