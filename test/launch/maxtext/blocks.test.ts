/** The decoder block of models that MaxText has no name for: the same at any length, and what a file says of experts. */
import { describe, expect, it } from 'vitest'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { readMaxtext } from '../../../src/launch/maxtext/read/read.ts'
import { detailsIn } from '../../../src/model/details.ts'
import { launched, launchedPlan } from '../../golden/launched-plan.ts'
import { problem } from '../../problem.ts'

function keysOf(model: string, sequenceLength: number, details = {}) {
  const asked = {
    model,
    chip: 'tpu-v5p',
    topology: [4, 4, 4],
    batchTokens: 64 * sequenceLength,
    sequenceLength,
  }
  const given = problem({ ...asked, rematerialization: ['full'] })
  const own = { ...given, model: { ...given.model, ...details, name: 'own' } }
  const plan = { mesh: { fsdp: 64 }, policies: ['full'] } as const
  return launchedPlan(costModel(own), plan).maxtext as Readonly<Record<string, unknown>>
}

describe('the decoder block', () => {
  it("is the model's own up to its window as beyond it", () => {
    for (const [model, short, long, block] of [
      ['gemma-2-9b', 2048, 8192, 'gemma2'],
      ['gemma-3-27b', 1024, 8192, 'gemma3'],
      ['llama-4-scout', 4096, 16_384, 'llama4'],
      ['gpt-oss-20b', 128, 4096, 'gpt_oss'],
    ] as const) {
      const [within, beyond] = [keysOf(model, short), keysOf(model, long)]
      expect(within).toMatchObject({ decoder_block: block })
      for (const key of [
        'decoder_block',
        'mlp_activations',
        'base_num_decoder_layers',
        'sliding_window_size',
      ])
        expect(within[key]).toEqual(beyond[key])
    }
  })

  it("has no window where MaxText has none that is like the model's, up to it", () => {
    expect(keysOf('mistral-7b', 4096)).toMatchObject({ decoder_block: 'mistral' })
    expect(keysOf('mistral-7b', 8192)).toHaveProperty('unsupported')
  })

  it('norms queries and keys where the model does', () => {
    const config = { model_type: 'qwen3_moe', norm_topk_prob: true, rms_norm_eps: 1e-6, rope_theta: 1e6 }
    const details = { details: detailsIn(config) ?? undefined }
    const normed = { use_qk_norm: true }
    expect(keysOf('qwen3-30b-a3b', 4096, details)).toMatchObject({
      ...normed,
      decoder_block: 'qwen3_moe',
      norm_topk_prob: true,
    })
    expect(keysOf('mixtral-8x7b', 4096)).toMatchObject({ decoder_block: 'mixtral' })
    expect(keysOf('qwen3-8b', 4096, details)).toMatchObject({ ...normed, decoder_block: 'qwen3' })
  })
})

describe('experts of a file', () => {
  it('are not counted where all of them run, or padded ones', () => {
    const asked = { chip: 'tpu-v5p', topology: [4, 4, 4], batchTokens: 64 * 4096, sequenceLength: 4096 }
    const keys = launched({ ...asked, model: 'mixtral-8x7b' }, { mesh: { fsdp: 64 } }).maxtext
    const context = { chips: 64, slices: 1, mode: null, model: { experts: true } as never }
    const faults = (more: Readonly<Record<string, unknown>>, known: typeof context | null = context) =>
      readMaxtext({ ...keys, ...more }, known ?? { ...context, model: null }).faults
    expect(faults({})).toEqual([])
    expect(faults({ capacity_factor: 1.25 })).toEqual([])
    expect(faults({ sparse_matmul: 'False' })).toEqual([expect.stringContaining('runs all experts')])
    expect(faults({ sparse_matmul: 'False', capacity_factor: 1.25 })).toEqual([
      expect.stringContaining('1.25 times its share'),
    ])
    // Of a dense model the keys say nothing.
    expect(faults({ sparse_matmul: 'False' }, null)).toEqual([])
  })
})

describe('a chip of two cores', () => {
  it('is two devices of MaxText on a TPU v3 too', () => {
    const asked = { model: 'llama-3-8b', chip: 'tpu-v3', topology: [4, 8], sequenceLength: 2048 }
    const { maxtext } = launched({ ...asked, batchTokens: 64 * 2048 }, { mesh: { fsdp: 32 } })
    expect(maxtext).toMatchObject({ ici_fsdp_parallelism: 64, per_device_batch_size: 1 })
  })
})
