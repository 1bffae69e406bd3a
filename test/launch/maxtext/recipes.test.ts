/** Recipes of MaxText as Google publishes them, read; and what commands have of them. */
import { describe, expect, it } from 'vitest'
import { readMaxtext } from '../../../src/launch/maxtext/read/read.ts'
import { launched } from '../../golden/launched-plan.ts'

const context = { chips: 256, slices: 1, mode: null, model: null, devices: 2 }

function command(options: Parameters<typeof launched>[0], mesh: object) {
  const { commands, notes = [] } = launched(options, { mesh })
  return { command: commands?.maxtext?.command ?? '', notes }
}

const train = { batchTokens: 8 * 8192, sequenceLength: 8192 }

describe('a recipe', () => {
  it('that shards weights over two axes of FSDP is read as sharding them over one', () => {
    const { plan, faults, notes } = readMaxtext(
      { ici_fsdp_transpose_parallelism: 2, ici_fsdp_parallelism: -1, mu_dtype: 'bfloat16' },
      context,
    )
    expect(faults).toEqual([])
    expect(plan.mesh).toMatchObject({ fsdp: 256, data: 1 })
    expect(notes).toContain('fsdp_transpose is counted as fsdp')
  })

  it('of Ironwood has tiles of kernels and ways to find scales, which have no say in a plan', () => {
    const tiles = {
      ...{ wi_tile_fwd_batch_seq: 512, wo_tile_drhs_mlp_dim: 1024, local_sa_block_kv_dkv_compute: 512 },
      ...{ cost_estimate_flops_fwd: 5e12, local_use_splash_scheduler: true, shard_exp_on_fsdp: true },
      ...{ weight_quantization_calibration_method: 'fixed,-224,224' },
    }
    const { notUnderstood, ignored } = readMaxtext(
      { ...tiles, moe_fsdp_use_two_stage_all_gather: true },
      context,
    )
    expect(ignored).toEqual(Object.keys(tiles))
    expect(notUnderstood).toEqual(['moe_fsdp_use_two_stage_all_gather'])
  })

  it('with a moment in another type than the weights counts both in the wider one', () => {
    const narrow = readMaxtext({ mu_dtype: 'bfloat16' }, context)
    expect(narrow.precision.optimizer).toBe('fp32')
    expect(narrow.notUnderstood).toEqual([])
    expect(narrow.notes).toEqual([expect.stringContaining('mu_dtype')])
    expect(readMaxtext({ mu_dtype: 'float32', weight_dtype: 'bfloat16' }, context).precision.optimizer).toBe(
      'fp32',
    )
    expect(readMaxtext({ weight_dtype: 'bfloat16', mu_dtype: '' }, context).notes).toEqual([])
  })
})

describe('a command for MaxText', () => {
  it('multiplies experts in fp8 by Qwix on TPUs, and nowhere else', () => {
    const states = { gradients: 'fp32', optimizer: 'fp32' } as const
    const precision = { ...states, weights: 'bf16', compute: 'fp8', kvCache: 'bf16' } as const
    const sparse = { model: 'qwen3-30b-a3b', ...train, precision }
    const { command: tpu } = command({ ...sparse, chip: 'tpu-7x', topology: [2, 2, 2] }, { fsdp: 8 })
    expect(tpu).toContain(' quantization=fp8_full use_qwix_quantization=true')
    expect(command({ ...sparse, chip: 'h100-sxm', chips: 8 }, { fsdp: 8 }).command).toBe('')
  })

  it('names a model that MaxText has, and says how its kernels run', () => {
    const dense = command(
      { model: 'llama-3-8b', chip: 'tpu-v5p', topology: [2, 2, 2], ...train },
      { fsdp: 8 },
    )
    expect(dense.command).toContain(' model_name=llama3-8b ')
    expect(dense.command).not.toContain('base_emb_dim')
    const sparse = command(
      { model: 'qwen3-30b-a3b', chip: 'tpu-v5p', topology: [2, 2, 2], ...train },
      { fsdp: 8 },
    )
    expect(sparse.command).toContain(' model_name=qwen3-30b-a3b sparse_matmul=true megablox=true ')
    expect(sparse.command).not.toContain('decoder_block')
  })

  it("has the compiler's flags of the chip's published recipes", () => {
    const on = (chip: string, topology: readonly number[], fsdp: number) =>
      command(
        { model: 'llama-3-8b', chip, topology, batchTokens: 2 * fsdp * 8192, sequenceLength: 8192 },
        { fsdp },
      ).command
    expect(on('tpu-v5p', [2, 2, 2], 8)).toMatch(
      /^LIBTPU_INIT_ARGS='--xla_tpu_scoped_vmem_limit_kib=98304 .*' python3 /,
    )
    expect(on('tpu-7x', [2, 2, 2], 8)).toContain('sparse_core')
    expect(on('tpu-v4', [2, 2, 2], 8)).toMatch(/^python3 /)
  })

  it('says where the devices of a chip exchange what is not counted', () => {
    const on = (sequences: number) =>
      command(
        {
          model: 'llama-3-8b',
          chip: 'tpu-7x',
          topology: [2, 2, 2],
          batchTokens: sequences * 8192,
          sequenceLength: 8192,
        },
        { fsdp: 8 },
      )
    expect(on(8).notes).toContainEqual(expect.stringContaining('is not counted'))
    expect(on(16).notes.filter((note) => note.includes('is not counted'))).toEqual([])
    expect(on(16).command).toContain(' ici_fsdp_parallelism=16 ')
  })
})
