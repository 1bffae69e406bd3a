/** Configs written for torchtitan are read back as the same plan. */

import fc from 'fast-check'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { readerOf } from '../../api/translate/launch/file.ts'
import { costModel } from '../../src/cost/compiled-model.ts'
import { readTorchtitanCommand } from '../../src/launch/torchtitan/read/command.ts'
import { readTorchtitan } from '../../src/launch/torchtitan/read/read.ts'
import { unitMesh } from '../../src/sharding/axis.ts'
import { launchedPlan } from '../golden/launched-plan.ts'
import { launchesOf } from '../golden/sampled-launches.ts'
import { forAll } from '../law.ts'
import { problem } from '../problem.ts'

const launches = launchesOf(({ torchtitan }) => (typeof torchtitan === 'string' ? torchtitan : undefined))

const read = (text: string, chips: number) => readTorchtitan(parse(text), chips)

interface Found {
  readonly mesh: Record<string, number>
  /** None where ZeRO-1 and ZeRO-2 are written alike. */
  readonly zeroStage?: 0 | 1 | 2 | 3
  readonly microbatches: number
  readonly pipelineSchedule?: 'gpipe' | '1f1b' | 'interleaved-1f1b'
  readonly virtualStages?: number
  readonly stageLayers?: readonly number[]
  readonly contextLayout?: 'ring' | 'gather'
}

describe('a config of torchtitan', () => {
  it('is read whole, and written again of what was read of it', () => {
    expect(launches.length).toBeGreaterThan(100)
    forAll(200, [fc.nat(launches.length - 1)], (at) => {
      const { model, asked, plan, flags } = launches[at] as (typeof launches)[number]
      const reading = read(flags, asked.cluster.chips)
      const ours = /flavor = "shardplan-|qwen3"|deepseek/.test(flags)
      expect([reading.faults, reading.notUnderstood]).toEqual([[], []])
      if (!ours) expect(reading.notes).toEqual([])
      const { layers, dModel, heads, vocab } = asked.model
      if (reading.model) expect(reading.model).toMatchObject({ layers, dModel, heads, vocab })
      const found = reading.plan as unknown as Found
      const { batchSequences } = reading.workload
      const again = launchedPlan(model, {
        ...plan,
        mesh: found.mesh,
        zeroStage: found.zeroStage ?? 1,
        microbatches: found.microbatches,
        sequences: Number(batchSequences) / found.microbatches,
        schedule: {
          name: found.pipelineSchedule ?? 'none',
          virtualStages: found.virtualStages ?? (ours ? (plan.schedule?.virtualStages ?? 1) : 1),
        },
        ...(found.stageLayers ? { stageLayers: found.stageLayers } : {}),
        ...(found.contextLayout ? { contextLayout: found.contextLayout } : {}),
      })
      expect(again.torchtitan).toEqual(flags)
      const { zeroStage = 1 } = found
      expect(meshOf(found.mesh, zeroStage)).toEqual(meshOf(plan.mesh, zeroStage))
    })
  })

  it('of the last release is asked for where only its name is given: without it the defaults would be read for the plan', () => {
    const elsewhere = 'its settings are in own.toml, which is not here: send what is in that file'
    for (const text of [
      'torchrun --nproc-per-node 8 -m torchtitan.train --job.config_file own.toml',
      'NGPU=8 CONFIG_FILE=own.toml ./run_train.sh',
    ]) {
      expect(readTorchtitanCommand(text, { chips: 8 }, parse).faults).toEqual([
        expect.stringContaining(elsewhere),
      ])
    }
    const main = 'torchrun --nproc-per-node 8 -m torchtitan.train --module llama3 --config llama3_8b'
    expect(readTorchtitanCommand(main, { chips: 8 }, parse).faults).toEqual([])
  })

  it('that its command names is read with it, where the same text writes it', () => {
    const { asked, flags } = launches[0] as (typeof launches)[number]
    const { chips } = asked.cluster
    const own = read(flags, chips)
    const starting = (file: string) =>
      `cat > shardplan.toml <<'EOF'\n${flags}EOF\ntorchrun --nnodes ${chips} --nproc-per-node 1 -m torchtitan.train --job.config_file ${file}`
    const named = readTorchtitanCommand(starting('configs/shardplan.toml'), { chips: null }, parse)
    expect(named).toEqual({ ...own, hardware: { chips } })
    const longer = readTorchtitanCommand(
      `F=\${F:-"./shardplan.toml"}\n${starting('$F --training.seq_len 512')}`,
      { chips: null },
      parse,
    )
    expect(longer.workload).toEqual({ ...own.workload, sequenceLength: 512 })
    expect(longer.plan).toEqual(own.plan)
  })

  it('is started by its module, or by the file of that', () => {
    const script = (program: string) =>
      `cat > a.toml <<'EOF'\n[parallelism]\ntensor_parallel_degree = 2\nEOF\ntorchrun --nnodes 2 --nproc-per-node 8 ${program} --job.config_file ./a.toml`
    for (const program of [
      './torchtitan/torchtitan/train.py',
      './torchtitan/train.py',
      '-m torchtitan.train',
    ]) {
      const { plan, hardware } = readerOf({ torchtitan: script(program) })({
        chips: null,
        slices: 1,
        mode: 'train',
        model: null,
      })
      expect([hardware.chips, plan.mesh]).toMatchObject([16, { tensor: 2, fsdp: 8 }])
    }
  })

  it('whose degrees are not as many as the GPUs is refused, as torchtitan asserts it', () => {
    const half = '[parallelism]\ndata_parallel_shard_degree = 16\ntensor_parallel_degree = 8\n'
    expect(read(half, 128).faults).toEqual([])
    expect(read(half, 256).faults).toEqual([
      expect.stringMatching(/are 128 ranks, and there are 256 GPUs: .* data_parallel_shard_degree 32 or -1;/),
    ])
    expect(read(half.replace('= 16', '= -1'), 256).faults).toEqual([])
  })

  it('takes a pass through the pipeline for each local batch, which has a plan where one pass is the step', () => {
    const of = (local: number, pipeline: number, size = 1) =>
      read(
        `[training]\nlocal_batch_size = ${local}\nglobal_batch_size = 512\n[parallelism]\ntensor_parallel_degree = 8\npipeline_parallel_degree = ${pipeline}\npipeline_parallel_microbatch_size = ${size}`,
        64,
      )
    expect(of(256, 4)).toMatchObject({ plan: { microbatches: 256 }, uncounted: [], faults: [] })
    expect(of(256, 4, 2)).toMatchObject({ plan: { microbatches: 128 }, uncounted: [], faults: [] })
    expect(of(4, 4).uncounted).toEqual([
      expect.stringMatching(
        /^a step is 64 passes through the pipeline, of 4 microbatches.* a local batch of 256/,
      ),
    ])
    expect(of(4, 1)).toMatchObject({ plan: { microbatches: 16 }, uncounted: [], faults: [] })
    expect(of(3, 4).faults).toEqual(['a global batch of 512 is not divided by local batches of 3 on 2 ranks'])
    expect(of(256, 4, 3).faults).toEqual(['a local batch of 256 is not divided by microbatches of 3'])
  })

  it('multiplies in the type of the converters that the release has, and is told of others', () => {
    const of = (...names: readonly string[]) => read(`[model]\nconverters = ${JSON.stringify(names)}`, 8)
    expect(of('quantize.linear.float8')).toMatchObject({ precision: { compute: 'fp8' }, unregistered: [] })
    expect(of('quantize.linear.mx')).toMatchObject({
      precision: { compute: 'fp8' },
      notes: expect.arrayContaining(['MXFP8 is costed as other matmuls in fp8 are']),
    })
    const experts = of('quantize.grouped_mm.float8')
    expect(experts).toMatchObject({ precision: { compute: 'bf16' } })
    expect(experts.notes).toContainEqual(
      expect.stringMatching(/^quantize.grouped_mm.float8 .* is not counted/),
    )
    expect(of('float8')).toMatchObject({ precision: { compute: 'fp8' }, unregistered: [] })
    for (const name of ['fp8', 'quantize.dense.float8']) {
      const reading = of(name)
      expect(reading.precision).toMatchObject({ compute: 'bf16' })
      expect(reading.unregistered).toContainEqual(
        expect.objectContaining({ option: 'model.converters', value: name }),
      )
    }
  })

  it('of any numbers is read in no time, and throws nothing', () => {
    const size = fc.constantFrom(-1, 0, 1, 2, 3, 8, 1.5, 1e9, 'x', true)
    const parallelism = fc.dictionary(
      fc.constantFrom(
        ...['tensor', 'context', 'pipeline', 'expert', 'data'].map((axis) => `${axis}_parallel_degree`),
        ...[
          'data_parallel_shard_degree',
          'pipeline_parallel_layers_per_stage',
          'pipeline_parallel_microbatch_size',
        ],
        ...['pipeline_parallel_first_stage_less_layers', 'module_fqns_per_model_part'],
      ),
      size,
    )
    forAll(300, [parallelism, size], (degrees, batch) => {
      const config = {
        model: { flavor: '8B' },
        parallelism: degrees,
        training: { local_batch_size: batch },
      }
      expect(readTorchtitan(config, 16).framework).toBe('torchtitan')
    })
  })

  it('says which layers are recomputed', () => {
    for (const { asked, plan, flags } of launches.slice(0, 200)) {
      const { policies: [policy, other = policy, count = 0] = ['none'], stageLayers = [] } = plan
      const found = read(flags, asked.cluster.chips).plan.rematerialization
      if (found === undefined) continue
      const total = stageLayers.reduce((sum, layers) => sum + layers, 0)
      const others = stageLayers.reduce((sum, layers) => sum + Math.min(count, layers), 0)
      const counts =
        typeof found === 'string'
          ? { [found]: total }
          : Object.fromEntries(
              (found as { policy: string; layers: number }[]).map((own) => [own.policy, own.layers]),
            )
      const full = (policy === 'full' ? total - others : 0) + (other === 'full' ? others : 0)
      expect(counts.full ?? 0).toBe(full)
    }
  })

  it('by operation keeps what depends on the order of its matmuls, without tensor parallelism and fp8', () => {
    const policyOf = (name: string, flavor: string, more = '', model = '') =>
      read(
        `[model]\nname = "${name}"\nflavor = "${flavor}"\n${model}\n[activation_checkpoint]\nmode = "selective"\nselective_ac_option = "op"\n[parallelism]\n${more}`,
        64,
      )
    const held = (...of: Parameters<typeof policyOf>) => {
      const { plan, unheld } = policyOf(...of)
      return plan.rematerialization ?? unheld?.length
    }
    expect(['8B', '70B'].map((flavor) => held('llama3', flavor))).toEqual(['selective_op', 'selective_op'])
    expect(held('qwen3', '30B-A3B')).toBe('selective_op')
    expect(held('deepseek_v3', '671B')).toBe('selective_op_latent')
    const deepEp = 'expert_parallel_degree = 8\nexpert_parallel_comm_backend = "deepep"'
    expect(held('deepseek_v3', '671B', deepEp)).toBe('selective_op_latent_deepep')
    expect(held('deepseek_v3', '671B', 'expert_parallel_degree = 8')).toBe('selective_op_latent')
    expect(held('deepseek_v3', '16B')).toBe(1)
    expect(held('gpt_oss', '20b')).toBe(1)
    expect(held('llama3', '8B', 'tensor_parallel_degree = 2')).toBe(1)
    expect(held('llama3', '8B', '', 'converters = ["quantize.linear.float8"]')).toBe(1)
    const main = 'torchrun --nproc-per-node 8 -m torchtitan.train --module llama3 --config llama3_8b'
    expect(readTorchtitanCommand(main, { chips: 8 }, parse).plan.rematerialization).toBe('selective_op')
  })

  it('has the defaults of torchtitan, and lists what it has no word for', () => {
    const reading = read(
      '[model]\nname = "llama3"\nflavor = "8B"\n[parallelism]\ntensor_parallel_degree = 2\nwarp_degree = 2\n[profiling]\nenable_profiling = true\n',
      16,
    )
    expect(reading.plan).toMatchObject({
      mesh: { tensor: 2, fsdp: 8, data: 1 },
      zeroStage: 3,
      rematerialization: [{ layers: 16 }, { layers: 16 }],
    })
    expect(reading.workload).toMatchObject({ batchSequences: 64, sequenceLength: 2048 })
    expect([reading.notUnderstood, reading.ignored]).toEqual([
      ['parallelism.warp_degree'],
      ['profiling.enable_profiling'],
    ])
    expect(read('[parallelism]\ntensor_parallel_degree = 3\n', 16).faults).toEqual([
      'tensor 3 x context 1 x pipeline 1 x replicas 1 do not divide the 16 GPUs',
    ])
  })
})

/** Below ZeRO-3 shards of optimizer states are one with replicas. */
function meshOf(mesh: object, zeroStage: number) {
  const { data, fsdp, ...others } = { ...unitMesh, ...mesh }
  return {
    ...others,
    ...(zeroStage === 3 ? { data, fsdp } : { replicas: data * fsdp }),
    ...(zeroStage === 3 ? {} : {}),
  }
}

it('a command of main without sequence parallelism is costed with whole residual streams', () => {
  const costed = (more: string) => {
    const command = `torchrun --nnodes 2 --nproc-per-node 8 -m torchtitan.train --module llama3 --config llama3_8b --parallelism.tensor_parallel_degree 8 ${more}`
    const { costed: own, notes } = readTorchtitanCommand(command, { chips: 16 }, parse)
    return [own?.residual, notes.some((note) => /whole residual stream/.test(note))]
  }
  expect(costed('--parallelism.enable_sequence_parallel false')).toEqual(['whole', true])
  expect(costed('--parallelism.enable_sequence_parallel true')).toEqual([undefined, false])
  expect(costed('')).toEqual([undefined, false])
})

describe('a model that is none of torchtitan', () => {
  const refused = (model: string) => {
    const asked = { model, chip: 'h100-sxm', chips: 8, batchTokens: 65_536, sequenceLength: 8192 }
    const plan = { mesh: { fsdp: 8 }, zeroStage: 3 } as const
    const { torchtitan } = launchedPlan(costModel(problem(asked)), plan)
    const reasons =
      typeof torchtitan === 'object' && 'unsupported' in torchtitan ? torchtitan.unsupported : []
    return reasons.filter((reason: string) => reason.startsWith('torchtitan has no model of this kind'))
  }

  it('is refused for what it has otherwise, and for nothing that it has as well', () => {
    const kind = 'torchtitan has no model of this kind'
    expect(refused('llama-3.2-1b')).toEqual([
      `${kind}: its embeddings are tied, which those of Llama 3 are not`,
    ])
    expect(refused('gpt-3-13b').join()).toMatch(/learned positions.*no gate/)
    expect(refused('gpt-3-13b').join()).not.toContain('wide')
    expect(refused('llama-3-8b')).toEqual([])
  })
})

it('a plan that recomputes modules of Megatron-LM is none that torchtitan has, and not only one that is not written', () => {
  const asked = {
    model: 'deepseek-v3',
    chip: 'h100-sxm',
    chips: 512,
    batchTokens: 8_388_608,
    sequenceLength: 4096,
  }
  const refused = (policy: 'mla_up_proj' | 'moe_act') => {
    const plan = { mesh: { fsdp: 8, tensor: 2, expert: 32 }, zeroStage: 3, policies: [policy] } as const
    const { torchtitan } = launchedPlan(costModel(problem(asked)), plan)
    const { unsupported = [], unwritten = [] } = torchtitan as {
      unsupported?: readonly string[]
      unwritten?: readonly string[]
    }
    const found = unsupported.filter((reason) => /torchtitan recomputes|only checkpoints of/.test(reason))
    return [found.length, found.filter((reason) => unwritten.includes(reason)).length]
  }
  expect([refused('mla_up_proj'), refused('moe_act')]).toEqual([
    [1, 0],
    [1, 0],
  ])
})

it('torchrun that is told no nodes starts one, unless the request says another number of chips', () => {
  const text = 'torchrun --nproc_per_node=8 -m torchtitan.train --module llama3 --config llama3_8b'
  expect(readTorchtitanCommand(text, { chips: null }, parse).hardware).toEqual({ chips: 8 })
  expect(readTorchtitanCommand(text, { chips: 16 }, parse).hardware).toEqual({})
})
