/** What MaxText's keys say is recomputed, kept or offloaded, array by array. */

import { describe, expect, it } from 'vitest'
import { createScale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { memoryNumbers } from '../../../src/cost/memory/memory-numbers.ts'
import { stageModel } from '../../../src/cost/model.ts'
import { readMaxtext } from '../../../src/launch/maxtext/read/read.ts'
import { parts } from '../../../src/launch/maxtext/recomputation.ts'
import { composedName, composedPlaces } from '../../../src/recipe/composed-policy.ts'
import { policyNames } from '../../../src/recipe/policy.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { launched } from '../../golden/launched-plan.ts'
import { planning } from '../../http/planning.ts'
import { service } from '../../http/service.ts'
import { problem } from '../../problem.ts'
import { padded } from '../../rounding.ts'

const dense = { layers: 126, latent: false, parallelBlocks: false, maxSequenceLength: 8192 }
const none = { experts: false, sharedExperts: false, denseLayers: true, recurrent: false }
const context = { chips: 256, slices: 1, mode: null, model: { ...dense, ...none } }

/** `remat_policy=custom` where no policy is named. */
function read(written: string, experts = false) {
  const keys = Object.fromEntries(written.split(' ').map((word) => word.split('=') as [string, string]))
  const model = { ...context.model, experts }
  return readMaxtext({ remat_policy: 'custom', ...keys }, { ...context, model })
}

describe('a policy of MaxText', () => {
  it('is the one of the table that keeps the same, or made of the arrays that it keeps', () => {
    const cases = [
      ['decoder_layer_input=offload', 'full_offloaded'],
      [
        'decoder_layer_input=offload mlpwo=offload key_proj=device value_proj=device',
        'custom(decoder_layer_input=offload key_proj=device value_proj=device)',
      ],
      ['context=offload mlpwo=offload', 'custom(context=offload)'],
      [
        'decoder_layer_input=device mlpwi_0=device mlpwi_1=device context=device',
        'custom(context=device mlpwi_0=device mlpwi_1=device)',
      ],
      [
        'context=device query_proj=device key_proj=device value_proj=device qkv_proj=device',
        'custom(query_proj=device key_proj=device value_proj=device context=device)',
      ],
      ['query_proj=offload key_proj=offload value_proj=offload', 'qkv_proj_offloaded'],
      [
        'query_proj=offload key_proj=offload value_proj=device',
        'custom(query_proj=offload key_proj=offload value_proj=device)',
      ],
      ['qkv_proj=device', 'full'],
      ['fused_qkv=true qkv_proj=device', 'save_qkv_proj'],
      ['remat_policy=save_dot_with_context_except_mlp', 'save_dot_with_context_except_mlp'],
      ['qkv_proj=device fused_qkv=true context=device out_proj=device', 'save_dot_with_context_except_mlp'],
      [
        'query_proj=device key_proj=device value_proj=device context=device',
        'custom(query_proj=device key_proj=device value_proj=device context=device)',
      ],
      ['remat_policy=minimal_flash', 'none'],
      ['remat_policy=none', 'full'],
      ['remat_policy=none scan_layers=false', 'none'],
    ] as const
    for (const [written, policy] of cases) {
      const reading = read(written)
      expect(reading.plan.rematerialization, written).toBe(policy)
      expect(reading.notUnderstood, written).toEqual([])
    }
  })

  it('keeps one product of routed experts where it is named alone', () => {
    const { plan } = read('remat_policy=minimal_with_context', true)
    expect(plan.rematerialization).toMatch(/^custom\(.*mlpwi_0=device mlpwi_1=device\)$/)
  })

  it('is read back as the one that it was written of, of mixtures too', () => {
    const kept = policyNames('counted').filter((name) => name in parts)
    const asked = { chip: 'tpu-v5p', topology: [2, 2, 2], batchTokens: 65_536, sequenceLength: 8192 } as const
    for (const [model, experts] of [
      ['llama-3-8b', false],
      ['mixtral-8x7b', true],
    ] as const)
      for (const expert of experts ? [1, 2] : [1]) {
        const written = kept.filter((policy) => {
          const own = { mesh: { fsdp: 8 / expert, expert }, policies: [policy] as const }
          const { maxtext } = launched({ model, ...asked, rematerialization: kept }, own)
          // MaxText's scan recomputes something in any case: the policy that keeps most stands for none.
          if (!maxtext || policy === 'none') return false
          const known = { ...context.model, experts }
          const { plan } = readMaxtext(maxtext as Record<string, string>, {
            ...context,
            chips: 8,
            model: known,
          })
          expect(plan.rematerialization, `${model} ${policy}`).toBe(policy)
          return true
        })
        expect(written).toContain('minimal')
        expect(written.length).toBeGreaterThan(6)
      }
  })

  it('of a mixture sends tokens again where experts are on other chips', () => {
    const arrays = 'query_proj key_proj value_proj context out_proj mlpwi_0 mlpwi_1 moe_mlpwi_1'
    const all = arrays.replaceAll(/\w+/g, (array) => `${array}=device`)
    expect(read(all, true).plan.rematerialization).toBe('none')
    const apart = read(`ici_expert_parallelism=2 ${all}`, true)
    expect(apart.plan.rematerialization).toBe(`custom(${all})`)
  })

  it('that it does not have, or that cannot be counted, is refused, and none stands in for it', () => {
    const unknown = read('remat_policy=minimum')
    expect(unknown.plan.rematerialization).toBeUndefined()
    expect(unknown.misnamed).toEqual([expect.objectContaining({ option: 'remat_policy', value: 'minimum' })])
    expect(read('remat_policy=minimal_with_quantization').faults).toEqual([
      expect.stringContaining('low precision'),
    ])
  })

  it('says which of its arrays are not counted', () => {
    expect(read('mlpwo=offload').notes).toEqual([expect.stringContaining('mlpwo')])
  })

  it('made of arrays is launched as it was read', () => {
    const policy = 'custom(decoder_layer_input=offload key_proj=device value_proj=device)'
    const { maxtext } = launched(
      {
        model: 'llama-3-8b',
        chip: 'tpu-v5p',
        topology: [2, 2, 2],
        batchTokens: 65_536,
        sequenceLength: 8192,
        rematerialization: [...policyNames('counted'), policy],
      },
      { mesh: { fsdp: 8 }, policies: [policy] },
    )
    const keys = {
      remat_policy: 'custom',
      decoder_layer_input: 'offload',
      key_proj: 'device',
      value_proj: 'device',
    }
    expect(maxtext).toMatchObject(keys)
    expect(
      readMaxtext(maxtext as Record<string, string>, { ...context, chips: 8 }).plan.rematerialization,
    ).toBe(policy)
  })
})

/** Bytes of a layer on the chip and on the host, by policy. */
function costs(model: string, composed: readonly string[]) {
  const made = costModel(
    problem({
      ...{ model, chip: 'tpu-v5p', topology: [2, 2, 2], batchTokens: 65_536, sequenceLength: 8192 },
      rematerialization: [...policyNames('counted'), ...composed],
    }),
  )
  const scale = createScale()
  setMesh(scale, { ...unitMesh, fsdp: 8 }, made.extents, padded)
  setBatch(scale, 8)
  const memory = memoryNumbers(made, stageModel(made, 3), scale)
  return (policy: string) => {
    const at = made.policies.findIndex(({ name }) => name === policy)
    return { kept: memory.kept[at] ?? Number.NaN, away: memory.host[at] ?? Number.NaN }
  }
}

describe('a composed policy', () => {
  it('is called by what it keeps, whatever the order', () => {
    const name = 'custom(decoder_layer_input=offload key_proj=device)'
    expect(composedName({ key_proj: 'device', decoder_layer_input: 'offload' })).toBe(name)
    expect(composedPlaces(name)).toEqual({ decoder_layer_input: 'offload', key_proj: 'device' })
    for (const wrong of ['custom(key_proj)', 'custom(keys=device)', 'custom(key_proj=remat)', 'full']) {
      expect(composedPlaces(wrong)).toBeNull()
    }
  })

  it('costs what the policy of the table costs that keeps the same', () => {
    const same = {
      full: 'custom()',
      save_out_proj: 'custom(out_proj=device)',
      save_mlp_proj: 'custom(out_proj=device mlpwi_0=device mlpwi_1=device)',
      qkv_proj_offloaded: 'custom(query_proj=offload key_proj=offload value_proj=offload)',
      full_offloaded: 'custom(decoder_layer_input=offload)',
    }
    const cost = costs('llama-3-8b', Object.values(same))
    for (const [policy, composed] of Object.entries(same))
      expect(cost(composed), policy).toEqual(cost(policy))
  })

  it('keeps what its arrays weigh, on the chip and on the host each', () => {
    const context = 'custom(context=device)'
    const away = 'custom(decoder_layer_input=offload key_proj=device value_proj=device)'
    const cost = costs('llama-3-8b', [context, away])
    const stream = 8192 * 4096 * 2
    expect(cost(context)).toEqual({ kept: 2 * stream, away: 0 })
    expect(cost(away)).toEqual({ kept: (2 * stream * 8) / 32, away: stream })
  })
})

describe('a plan that keeps more than there is room for', () => {
  const agent = service({ search: planning })
  const command = (keys: string) =>
    `python3 -m maxtext.trainers.pre_train.train model_name=llama3.1-405b ici_fsdp_parallelism=-1 remat_policy=custom ${keys} max_target_length=8192`
  const checked = async (keys: string) => {
    const { body } = await agent.post('/validate').send({
      ...{ model: 'llama-3.1-405b', hardware: { chip: 'tpu-7x', topology: [4, 8, 8] } },
      ...{ workload: { mode: 'train' }, plan: { maxtext: command(keys) }, require: { fits: true } },
    })
    return body
  }

  it('does not fit, whichever policy would', async () => {
    const { checks, plan } = await checked(
      'per_device_batch_size=3 mlpwi_0=device mlpwi_1=device context=device',
    )
    expect(checks.find(({ name }: { name: string }) => name === 'fits').ok).toBe(false)
    expect(plan.rematerialization).toEqual([
      { policy: 'custom(context=device mlpwi_0=device mlpwi_1=device)', layers: 126 },
    ])
  })

  it('does not fit where the host has no room for what goes there', async () => {
    const { checks, plan } = await checked(
      'per_device_batch_size=12 num_vocab_tiling=32 decoder_layer_input=offload',
    )
    expect(checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([
      expect.objectContaining({ name: 'fits', expected: 'at most 240 GB on the host' }),
    ])
    expect(plan.infeasible).toEqual([expect.objectContaining({ reason: 'hostMemory' })])
    expect(plan.memoryBytes.total).toBeLessThan(plan.memoryBytes.budget)
  })
})
