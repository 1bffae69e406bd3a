/** Configs that torchtitan's main has under a name: each is read as its registry has it, and none that is not read is taken for defaults. */
import { readFileSync } from 'node:fs'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../api/catalogue.ts'
import { present } from '../../src/fields.ts'
import { torchtitanFlavor } from '../../src/launch/torchtitan/flavor.ts'
import { readTorchtitanCommand } from '../../src/launch/torchtitan/read/command.ts'
import { configsOf, nearestConfig, registered } from '../../src/launch/torchtitan/registry.ts'
import { unitMesh } from '../../src/sharding/axis.ts'

const { configs } = JSON.parse(readFileSync('fixtures/options/torchtitan-main.json', 'utf8'))
const catalogue = loadCatalogue()

const read = (module: string, config: string, more = '', chip?: string) =>
  readTorchtitanCommand(
    `torchrun --nnodes 8 --nproc-per-node 8 -m torchtitan.train --module ${module} --config ${config} ${more}`,
    { chips: null, ...present({ chip: catalogue.chips.get(chip ?? '') }) },
    parse,
  )

describe('a config of the registry', () => {
  it('is one of those that the commit has, and none of these is left out', () => {
    const sorted = (names: readonly string[]) => [...names].sort()
    expect([...configsOf.keys()].sort()).toEqual(Object.keys(configs).sort())
    for (const [module, names] of configsOf) expect(sorted(names), module).toEqual(sorted(configs[module]))
  })

  it('is read with its batch, its length and what it recomputes, and of a model that is known', () => {
    for (const { module, config, tokens, context, recomputation, spec, shard } of registered) {
      const { workload, plan, model, modelOf, faults, uncounted, unheld, notUnderstood } = read(
        module,
        config,
      )
      expect(notUnderstood, config).toEqual([])
      expect(faults, config).toEqual(shard === undefined ? [] : [expect.stringMatching(/are 1 ranks/)])
      expect(uncounted?.length, config).toBe(spec?.uncounted === undefined ? 0 : 1)
      const { microbatches, mesh } = plan as { microbatches: number; mesh: { data: number } }
      expect([workload.sequenceLength, microbatches, mesh.data], config).toEqual([context, 1, 1])
      const ranks = 64 / Number((plan.mesh as { tensor: number }).tensor)
      if (shard === undefined) expect(workload.batchSequences, config).toBe((tokens / context) * ranks)
      if (recomputation === 'full') expect([plan.rematerialization, unheld]).toEqual(['full', []])
      expect(modelOf === undefined ? model?.vocab : catalogue.models.has(modelOf), config).toBeTruthy()
    }
  })

  it('has what its model is asked for: types, kernels and the optimizer', () => {
    const of = (module: string, config: string) => {
      const { precision, assumptions, workload } = read(module, config)
      return [precision.compute, assumptions.hierarchicalDispatch, workload.optimizer]
    }
    expect(of('llama3', 'llama3_8b_mxfp8')).toEqual(['fp8', undefined, 'adamw'])
    expect(of('deepseek_v3', 'deepseek_v3_671b_float8')).toEqual(['fp8', false, 'adamw'])
    expect(of('deepseek_v3', 'deepseek_v3_16b_hybridep')).toEqual(['bf16', true, 'adamw'])
    expect(of('kimi_k2_7', 'kimi_k2_5')).toEqual(['bf16', false, 'muon'])
    expect(of('gpt_oss', 'gpt_oss_120b')).toEqual(['bf16', undefined, 'adamw'])
  })

  it('spreads experts over tensor ranks too, as main does', () => {
    const { plan, faults } = read('qwen3_5', 'qwen35_35b_a3b')
    expect([plan.mesh, faults]).toMatchObject([{ tensor: 2, expert: 4, fsdp: 8 }, []])
    const more = '--parallelism.tensor_parallel_degree 8 --parallelism.expert_parallel_degree 2'
    expect(read('qwen3_5', 'qwen35_35b_a3b', more).faults).toEqual([
      expect.stringMatching(/^experts on expert_parallel_degree 2 ranks/),
    ])
  })

  it('that no chip of the kind starts is told', () => {
    const refusals = (chip: string) => read('llama3', 'llama3_8b_mxfp8', '', chip).refusals
    expect([refusals('b200-sxm'), refusals('h100-sxm')]).toEqual([[], [expect.stringMatching(/SM100/)]])
    const split = read('kimi_k2_7', 'kimi_k2_5', '--parallelism.tensor_parallel_degree 2')
    expect(split.refusals).toEqual([expect.stringMatching(/tensor_parallel_degree 1 alone, and it is 2/)])
  })

  it('may be named by the whole path of its module', () => {
    const { faults, modelOf } = read('torchtitan.models.gpt_oss', 'gpt_oss_20b')
    expect([faults, modelOf]).toEqual([[], 'gpt-oss-20b'])
  })

  it('that runs a flavor in another way is none that a plan starts from', () => {
    expect(nearestConfig('qwen3', '8B')?.config).toBe('qwen3_0_6b')
    expect(nearestConfig('deepseek_v3', '671B')?.config).toBe('deepseek_v3_671b')
  })
})

it('a flavor with experts has the dimensions of the model that is taken for it', () => {
  for (const { module, config, flavor } of registered) {
    const known = catalogue.models.get(read(module, config).modelOf ?? '')
    const made = known && torchtitanFlavor({ model: known.transformer, mesh: unitMesh })
    if (made?.known) expect(made.model, config).toEqual({ name: module, flavor })
  }
})

describe('a config that is not read', () => {
  const said =
    '--training.max_context_length 4096 --training.num_tokens_per_microbatch_per_dp_rank 8192 --parallelism.tensor_parallel_degree 2 --parallelism.pipeline_parallel_degree 1 --parallelism.expert_parallel_degree 1'

  it('is refused with what its command has to say, and nothing is taken for it', () => {
    for (const [module, config, why] of [
      [
        'llama3',
        'llama3_9b',
        /none of that name there: say what it has as --training.max_context_length, .*activation-checkpoint/,
      ],
      ['llama3', 'llama3_debugmodel', /its model is not one that is read: say/],
      ['muse_glimmer', 'muse_glimmer_30b', /its model is not one that is read: say/],
      ['llama3', 'gpt_oss_20b', /it is one of gpt_oss: say/],
      ['my_models', 'mine', /no such module among its models: say/],
    ] as const) {
      expect(read(module, config).faults, config).toEqual([expect.stringMatching(why)])
    }
    expect(read('llama3', 'llama3_9b', said).faults).toEqual([
      expect.stringMatching(/say what it has as activation-checkpoint:full \(or selective, or none\)$/),
    ])
  })

  it('whose command says all of that is read, and doubted: what it sets beside is open, and whether it fits', () => {
    const {
      faults,
      doubts = [],
      unheld,
      plan,
      workload,
    } = read('my_models', 'mine', `${said} activation-checkpoint:full`)
    expect([faults, doubts]).toEqual([
      [],
      [expect.stringMatching(/taken for bf16 and its optimizer for AdamW/)],
    ])
    expect(unheld).toEqual(doubts)
    expect([plan.rematerialization, workload.sequenceLength, workload.batchSequences]).toEqual([
      'full',
      4096,
      64,
    ])
  })

  it('of a module that is known is an option that its main does not have', () => {
    const { unregistered } = read('llama3', 'llama3_9b', `${said} activation-checkpoint:full`)
    expect(unregistered).toMatchObject([{ option: '--config', value: 'llama3_9b' }])
    expect(read('my_models', 'mine').unregistered).toEqual([])
  })
})
