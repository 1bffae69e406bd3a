/**
 * Commands are consistent: degrees multiply to the chips, microbatches to the batch, stages to the layers, and
 * recomputed layers to the plan's. Each framework's numbers are read as that framework reads them.
 */
import { describe, expect, it } from 'vitest'
import { devicesOn } from '../../src/hardware/chip.ts'
import { innermostUnit } from '../../src/hardware/network/innermost-unit.ts'
import { meshOf } from '../../src/launch/maxtext/read/mesh.ts'
import { keysOf } from '../../src/launch/read/fields.ts'
import { expertLayers } from '../../src/model/expert-layers.ts'
import { unitMesh } from '../../src/sharding/axis.ts'
import { launchesOf } from './sampled-launches.ts'

describe('Megatron-LM flags', () => {
  const found = launchesOf(({ megatron }) => (Array.isArray(megatron) ? megatron : undefined))
  const value = (flags: readonly string[], flag: string, without = 1) => {
    const at = flags.indexOf(flag)
    return at < 0 ? without : Number(flags[at + 1])
  }

  it('make the chips and the batch', () => {
    expect(found.length).toBeGreaterThan(100)
    for (const { flags, asked, plan } of found) {
      const modelAxes =
        value(flags, '--tensor-model-parallel-size') *
        value(flags, '--context-parallel-size') *
        value(flags, '--pipeline-model-parallel-size')
      const data = asked.cluster.chips / modelAxes
      expect(Number.isInteger(data)).toBe(true)
      const instances = value(flags, '--num-distributed-optimizer-instances')
      expect(data % instances).toBe(0)
      const microbatches = plan.microbatches ?? 0
      const step = data * value(flags, '--micro-batch-size') * microbatches
      expect(value(flags, '--global-batch-size')).toBe(step)
      expect(step * value(flags, '--seq-length')).toBeGreaterThanOrEqual(asked.workload.batchTokens)
    }
  })

  it('spread experts over ranks of data, and put them in the layers of the plan', () => {
    const sparse = found.filter(({ asked }) => asked.model.experts)
    expect(sparse.filter(({ plan }) => (plan.mesh.expert ?? 1) > 1).length).toBeGreaterThan(20)
    for (const { flags, asked, plan } of sparse) {
      const world = asked.cluster.chips / value(flags, '--pipeline-model-parallel-size')
      const spread = value(flags, '--expert-model-parallel-size')
      const cut = value(flags, '--expert-tensor-parallel-size')
      const others = world / (spread * cut)
      const { data = 1, fsdp = 1, context = 1, expert = 1, tensor = 1 } = plan.mesh
      // Tensor ranks have whole experts, where they divide them, or a part of each.
      const whole = tensor > 1 && (asked.model.experts?.experts ?? 1) % (expert * tensor) === 0
      expect([spread, cut]).toEqual(whole ? [expert * tensor, 1] : [expert, tensor])
      expect(others).toBe(data * fsdp * context)
      expect(others % value(flags, '--num-distributed-optimizer-instances')).toBe(0)
      const at = flags.indexOf('--moe-layer-freq')
      const layers = at < 0 ? asked.model.layers : unrolled(flags[at + 1] ?? '', asked.model.layers)
      expect(layers).toBe(expertLayers(asked.model))
    }
  })

  /** Layers with experts in a pattern of all layers: [0]*a+([0]*b+[1])*c+[0]*d, each part as far as it is there. */
  function unrolled(pattern: string, layers: number): number {
    const flat = pattern
      .replace(/\(([^)]+)\)\*(\d+)/g, (_, group: string, times: string) =>
        Array(Number(times)).fill(group).join('+'),
      )
      .split('+')
      .flatMap((part) => {
        const [, kind = '', times = '1'] = /^\[([01])\](?:\*(\d+))?$/.exec(part) ?? []
        return Array<string>(Number(times)).fill(kind)
      })
    expect(flat).toHaveLength(layers)
    return flat.filter((kind) => kind === '1').length
  }

  it('put every layer on the stage that the plan has it on, and recompute as many there', () => {
    for (const { flags, asked, plan } of found) {
      const stages = plan.stageLayers ?? []
      const { layers } = asked.model
      const held = megatronChunks(flags, layers, stages.length)
      expect(held.map(sum)).toEqual(stages)
      expect(held.every((chunks) => chunks.length === plan.schedule?.virtualStages)).toBe(true)
      const [policy, other, count = 0] = plan.policies ?? ['none']
      if (other !== 'full') continue
      const perChunk = value(flags, '--recompute-num-layers', 0)
      const uniform = flags.includes('uniform')
      const recomputed = held.map((chunks) =>
        sum(chunks.map((chunk) => (uniform ? chunk : Math.min(chunk, perChunk)))),
      )
      expect(policy).toBe('none')
      expect(recomputed).toEqual(stages.map((own) => Math.min(own, count)))
    }
  })

  /** Layers of each chunk, by stage, as Megatron-LM takes its flags. */
  function megatronChunks(
    flags: readonly string[],
    layers: number,
    stages: number,
  ): readonly (readonly number[])[] {
    const layout = flags[flags.indexOf('--pipeline-model-parallel-layout') + 1] ?? ''
    if (flags.includes('--pipeline-model-parallel-layout')) {
      const unrolled = layout
        .replace(/\(([^)]+)\)\*(\d+)/g, (_, group: string, times: string) => group.repeat(Number(times)))
        .replace(/(.)\*(\d+)/g, (_, letter: string, times: string) => letter.repeat(Number(times)))
      expect(unrolled).toMatch(/^E[t|]*L$/)
      const chunks = unrolled.split('|').map((chunk) => chunk.split('t').length - 1)
      expect(chunks.length % stages).toBe(0)
      return byStage(chunks, stages)
    }
    const virtual = value(flags, '--num-virtual-stages-per-pipeline-rank')
    const first = value(flags, '--decoder-first-pipeline-num-layers', layers / stages)
    const last = value(flags, '--decoder-last-pipeline-num-layers', layers / stages)
    const middle = (layers - first - last) / (stages - 2)
    return Array.from({ length: stages }, (_, stage) => {
      const own = stages === 1 ? layers : stage === 0 ? first : stage === stages - 1 ? last : middle
      return Array.from({ length: virtual }, () => own / virtual)
    })
  }
})

describe('MaxText keys', () => {
  it('make the chips, slice by slice, and the batch', () => {
    const found = launchesOf(({ maxtext }) =>
      maxtext && !('unsupported' in maxtext) ? (maxtext as Readonly<Record<string, number>>) : undefined,
    )
    expect(found.length).toBeGreaterThan(100)
    for (const {
      flags: config,
      asked: { cluster },
      plan,
    } of found) {
      const product = (prefix: string) =>
        Object.entries(config)
          .filter(([key]) => key.startsWith(prefix) && key.endsWith('_parallelism'))
          .reduce((sizes, [, size]) => sizes * size, 1)
      const slices = cluster.network.kind === 'torus' ? cluster.network.slices : Math.ceil(cluster.chips / 8)
      expect(product('dcn_')).toBe(slices)
      const devices = devicesOn(cluster.chip)
      expect(product('ici_') * slices).toBe(cluster.chips * devices)
      const read = meshOf(keysOf(config), {
        ...{ chips: cluster.chips, slices, innermostUnit: innermostUnit(cluster), mode: null, model: null },
        devices,
      })
      expect(read.faults).toEqual([])
      expect({ ...unitMesh, ...read.mesh }).toEqual({ ...unitMesh, ...plan.mesh })
      const { per_device_batch_size: perDevice = 0, gradient_accumulation_steps: accumulation = 0 } = config
      const sequences = (plan.sequences ?? 0) * (plan.microbatches ?? 0)
      expect(Math.trunc(cluster.chips * devices * perDevice) * accumulation).toBe(sequences)
      const { num_pipeline_microbatches: piped = accumulation } = config
      expect(piped).toBe(plan.microbatches)
    }
  })
})

describe('torchtitan keys', () => {
  it('make the chips and the batch, and deal out the layers of the plan', () => {
    const found = launchesOf(({ torchtitan }) => (typeof torchtitan === 'string' ? torchtitan : undefined))
    expect(found.length).toBeGreaterThan(100)
    for (const { flags, asked, plan } of found) {
      const config = keys(flags)
      const number = (key: string) => Number(config.get(key))
      const shard = number('data_parallel_shard_degree')
      const replicate = number('data_parallel_replicate_degree')
      const stages = number('pipeline_parallel_degree')
      const others = number('tensor_parallel_degree') * number('context_parallel_degree') * stages
      expect(shard * replicate * others).toBe(asked.cluster.chips)
      const { data = 1, fsdp = 1, context = 1, expert = 1 } = plan.mesh
      if (expert > 1) {
        const ranks = number('expert_parallel_degree') * number('expert_tensor_parallel_degree')
        expect(ranks).toBe(expert * number('tensor_parallel_degree'))
        expect(shard % expert).toBe(0)
        const experts = (shard / expert) * replicate * number('context_parallel_degree')
        expect(experts).toBe(data * fsdp * context)
      }
      const local = number('local_batch_size')
      const accumulated = number('global_batch_size') / (local * shard * replicate)
      const piped = stages > 1 ? local / number('pipeline_parallel_microbatch_size') : 1
      expect(accumulated * piped).toBe(plan.microbatches)
      expect(stages === 1 || accumulated === 1).toBe(true)
      if (stages === 1) continue
      const named = config.get('module_fqns_per_model_part') as string[][] | undefined
      const chunks = named
        ? named.map((names) => names.filter((name) => name.startsWith('layers.')).length)
        : dealt(
            asked.model.layers,
            number('pipeline_parallel_layers_per_stage'),
            number('pipeline_parallel_first_stage_less_layers'),
            number('pipeline_parallel_last_stage_less_layers'),
          )
      expect(chunks).toHaveLength(stages * (plan.schedule?.virtualStages ?? 1))
      expect(byStage(chunks, stages).map(sum)).toEqual(plan.stageLayers)
    }
  })

  function keys(document: string): ReadonlyMap<string, unknown> {
    const lines = document.split('\n').filter((line) => line.includes(' = '))
    return new Map(
      lines.map((line) => {
        const at = line.indexOf(' = ')
        return [line.slice(0, at), JSON.parse(line.slice(at + 3))]
      }),
    )
  }

  /** Layers of each chunk, as torchtitan deals them out. */
  function dealt(layers: number, perStage: number, first: number, last: number): readonly number[] {
    const effective = layers + first + last
    const chunks = Math.ceil(effective / perStage)
    expect(Math.max(first, last)).toBeLessThanOrEqual(Math.floor(effective / chunks))
    return Array.from({ length: chunks }, (_, chunk) => {
      const share = Math.floor(effective / chunks) + (chunk < effective % chunks ? 1 : 0)
      return share - (chunk === 0 ? first : 0) - (chunk === chunks - 1 ? last : 0)
    })
  }
})

/** Chunks go round the stages. */
function byStage(chunks: readonly number[], stages: number): readonly (readonly number[])[] {
  return Array.from({ length: stages }, (_, stage) => chunks.filter((_, at) => at % stages === stage))
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
