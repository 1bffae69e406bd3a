import { resolveCluster } from '../../../src/hardware/cluster/resolve.ts'
import { kvCacheBytes } from '../../../src/model/kv-cache.ts'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import { elementBytes } from '../../../src/recipe/element-type.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import { catalogueChip, catalogueModel } from '../../catalogue.ts'
import { type Input, section } from '../case.ts'
import { inventedChip } from '../chips.ts'
import { crossing } from '../crossing.ts'
import { onRings } from '../hardware/networks.ts'
import { fits, type Generation, generated, modelKeeping } from './generation.ts'
import { inferenceMlpTime } from './mlp.ts'

const v5e = catalogueChip('tpu-v5e', 'book')

section('room for caches', (hold) => {
  hold('in-q2-131072', 'an 18B model leaves sixteen v5e room for six sequences of 128 Ki tokens', (input) => {
    const asked = (kvHeads: number): Generation => {
      const kvBytesPerToken = (input('kv_bytes_per_token') * kvHeads) / 8
      return {
        model: modelKeeping({ parameters: input('params_bytes'), kvBytesPerToken, kvHeads }),
        chip: { ...v5e, hbmBytes: input('hbm_per_chip') },
        chips: input('chips'),
        batch: 'max',
        context: input('context'),
        weights: 'int8',
      }
    }
    const plan = generated(asked(8))
    return {
      kv_bytes_per_seq: kvCacheBytes(asked(8).model, input('context'), elementBytes.int8),
      max_batch: roomFor(plan),
      max_batch_floor: plan.batchSequences,
      max_batch_K1: roomFor(generated(asked(1))),
    }
  })

  hold('ai-mem-bs32', 'LLaMA 3 70B in int8 with 32 sequences takes the memory of seven v5e', (input) => {
    const asked: Generation = {
      model: modelKeeping({ parameters: input('params'), kvBytesPerToken: input('kv_per_token') }),
      chip: v5e,
      chips: 8,
      batch: input('batch'),
      context: input('seq'),
      weights: 'int8',
    }
    const plan = generated(asked)
    const llama = catalogueModel('llama-3-70b')
    return {
      kv_bytes: plan.memoryBytes.kvCache * asked.chips,
      kv_bytes_exact: input('batch') * kvCacheBytes(llama, input('seq'), elementBytes.int8),
      total: plan.memoryBytes.total * asked.chips,
      chips: (plan.memoryBytes.total * asked.chips) / v5e.hbmBytes,
      min_slice: leastSlice(asked).toReversed().join('x'),
    }
  })

  for (const [id, weights] of [
    ['ai-min-topology-bf16', 'bf16'],
    ['ai-min-topology-int4', 'int4'],
  ] as const) {
    hold(id, `the smallest slice that holds LLaMA 3 70B in ${weights}`, (input) => {
      const asked: Generation = {
        model: modelKeeping({
          parameters: input('param_bytes') / elementBytes[weights],
          kvBytesPerToken: input('kv_bytes_per_token'),
        }),
        chip: { ...v5e, hbmBytes: input('hbm') },
        chips: 16,
        batch: 1,
        context: input('context'),
        weights,
      }
      const slice = leastSlice(asked).reduce((chips, length) => chips * length, 1)
      const plan = generated({ ...asked, chips: slice })
      const { parameters, budget } = plan.memoryBytes
      return {
        min_chips: (parameters * slice) / input('hbm'),
        slice_chips: slice,
        remaining_bytes: (budget - parameters) * slice,
        num_kv: roomFor(plan),
        num_kv_floor: generated({ ...asked, chips: slice, batch: 'max' }).batchSequences,
      }
    })
  }

  hold('ai-full-hbm-step', 'a step on full memory takes as long as reading it', (input) => {
    const context = 2 ** 17
    const parameters = input('int4_params') / elementBytes.int4
    const left = input('int4_chips') * input('hbm_capacity') - input('int4_params')
    const plan = generated({
      model: modelKeeping({ parameters, kvBytesPerToken: left / context }),
      chip: inventedChip(v5e.peakFlopsPerSecond, input('hbm_bw'), input('hbm_capacity')),
      chips: input('int4_chips'),
      batch: 1,
      context,
      weights: 'int4',
    })
    return {
      step_s: plan.stepTimeSeconds,
      decode_s: input('median_decode') / plan.tokensPerSecondPerUser,
      int4_params_only_s: plan.streaming.weightsSeconds,
    }
  })

  hold('ai-w3-405b-serve', 'a 405B model in 15 ms a token', (input) => {
    const weights: ElementType = 'int8'
    const on = (chips: number) =>
      generated({
        model: modelKeeping({ parameters: input('params'), kvBytesPerToken: 1, chips }),
        chip: inventedChip(v5e.peakFlopsPerSecond, input('hbm'), input('hbm_cap')),
        chips,
        batch: 1,
        context: 1,
        weights,
      })
    const [few, plenty] = [on(64), on(256)]
    return {
      min_chips_for_capacity: (few.memoryBytes.parameters * 64) / input('hbm_cap'),
      min_chips_15ms: (few.stepTimeSeconds * 64) / input('limit_s'),
      step_s_64: few.stepTimeSeconds,
      step_s_256: plenty.stepTimeSeconds,
      tp_limit: tensorLimit(input),
    }
  })
})

/** Sequences, were their number no whole one: what the weights leave over what one takes. */
function roomFor({ memoryBytes, batchSequences }: InferencePlan): number {
  return (memoryBytes.budget - memoryBytes.parameters) / (memoryBytes.kvCache / batchSequences)
}

/** Of the slices that v5e comes in. */
function leastSlice(asked: Generation): readonly number[] {
  for (let chips = 1; chips <= 256; chips++) {
    const found = resolveCluster({ chip: asked.chip, chips })
    if (!('cluster' in found) || found.cluster.network.kind !== 'torus') continue
    if (fits({ ...asked, chips })) return found.cluster.network.topology
  }
  throw new RangeError('No slice is large enough')
}

function tensorLimit(input: Input): number {
  const bothWays = 9e10
  return crossing(
    (size) => {
      const { compute, communication } = inferenceMlpTime(
        {
          D: 8192,
          F: input('F'),
          chip: inventedChip(input('alpha') * bothWays),
          arrangement: onRings({ tensor: { size, rings: input('M_Y') } }, bothWays),
          layout: '1d',
        },
        2 ** 20,
      )
      return compute - communication
    },
    1.5,
    1e6,
  )
}
