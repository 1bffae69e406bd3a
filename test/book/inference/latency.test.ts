import { book } from '../../../src/assumptions/book.ts'
import { groupCost } from '../../../src/hardware/network/collective.ts'
import { createSizes, setShape } from '../../../src/inference/layout/local-sizes.ts'
import { localTerm, localValue } from '../../../src/inference/layout/local-term.ts'
import { kvCacheBytes } from '../../../src/model/kv-cache.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import { elementBytes } from '../../../src/recipe/element-type.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import { shardedArray } from '../../../src/sharding/array.ts'
import { catalogueChip, catalogueModel } from '../../catalogue.ts'
import { type Input, section } from '../case.ts'
import { inventedChip } from '../chips.ts'
import { crossing } from '../crossing.ts'
import { onRings, torus, withoutRings } from '../hardware/networks.ts'
import { modelOf } from '../models.ts'
import { evaluated, fits, type Generation, generated, modelKeeping } from './generation.ts'
import { inferenceMlpTime } from './mlp.ts'

/** No batch of a case fills it. */
const plenty = 1e12

section('a step of generation', (hold) => {
  hold(
    'in-popquiz-step-B4',
    'weights of a 30B model and caches of four sequences, read by 16 chips',
    (input) => {
      const model = modelKeeping({
        parameters: input('params'),
        kvBytesPerToken: input('kv_bytes_per_token'),
      })
      const plan = generated({
        model,
        chip: inventedChip(input('flops_bf16'), input('hbm'), plenty),
        chips: input('chips'),
        batch: input('batch'),
        context: input('context'),
        weights: weightsOf(input),
      })
      const { kvCacheSeconds, weightsSeconds, arithmeticSeconds } = plan.streaming
      return {
        attn_s: kvCacheSeconds,
        mlp_s: Math.max(weightsSeconds, arithmeticSeconds),
        step_s: plan.stepTimeSeconds,
        kv_bytes_per_seq: kvCacheBytes(model, input('context'), elementBytes.int8),
      }
    },
  )

  for (const [kind, batches] of [
    ['mha', [8, 16, 32, 64, 240]],
    ['gqa5x', [1, 8, 16, 64, 240]],
  ] as const) {
    for (const batch of batches) {
      hold(
        `in-13b-table-${kind}-B${batch}`,
        `LLaMA 2 13B on eight v5e, ${batch} sequences, ${kind === 'mha' ? 40 : 8} key-value heads`,
        (input) => {
          const kvHeads = kind === 'mha' ? 40 : 8
          const rounded = thirteenB(input, kvHeads, input('params'), input('kv_bytes_per_seq'))
          const plan = generated(rounded)
          const llama = { ...catalogueModel('llama-2-13b'), kvHeads }
          const cache = kvCacheBytes(llama, input('context'), elementBytes.bf16)
          const { total } = parameterCount(catalogueModel('llama-2-13b'))
          const exact = generated(thirteenB(input, kvHeads, total, cache))
          const capacity = input('hbm_capacity_per_chip')
          return {
            kv_gb: (plan.memoryBytes.kvCache * input('chips')) / 1e9,
            total_gb: (plan.memoryBytes.total * input('chips')) / 1e9,
            step_ms: plan.floorSeconds * 1e3,
            step_ms_general: plan.stepTimeSeconds * 1e3,
            tokens_per_s: plan.tokensPerSecond,
            step_ms_exact_bytes: exact.stepTimeSeconds * 1e3,
            tokens_per_s_exact_bytes: exact.tokensPerSecond,
            fits_128e9: fits({ ...rounded, memoryBudget: capacity }),
            fits_128GiB: fits({ ...rounded, memoryBudget: (capacity / 1e9) * 2 ** 30 }),
          }
        },
      )
    }
  }

  for (const id of ['ai-step-4x2', 'ai-step-4x4']) {
    hold(id, 'LLaMA 3 70B in int8 with 32 sequences of 8192', (input) => {
      const parameters = 70e9
      const context = 8192
      const kvBytesPerToken = (input('total_bytes') - parameters) / input('batch') / context
      const plan = generated({
        model: modelKeeping({ parameters, kvBytesPerToken }),
        chip: inventedChip(1.97e14, input('hbm'), plenty),
        chips: input('chips'),
        batch: input('batch'),
        context,
        weights: 'int8',
      })
      return {
        step_s: plan.stepTimeSeconds,
        tokens_per_s: plan.tokensPerSecond,
        tokens_per_s_chip: plan.tokensPerSecondPerChip,
      }
    })
  }

  for (const id of [
    ...['ai-pareto-B1-S2048', 'ai-pareto-B1-S8192', 'ai-pareto-B32-S8192'],
    ...['ai-pareto-B120-S2048', 'ai-pareto-B240-S2048'],
  ]) {
    hold(id, 'a point of the curve of latency against throughput', (input) => {
      const asked: Generation = {
        model: modelKeeping({ parameters: input('params'), kvBytesPerToken: input('kv_bytes_per_token') }),
        chip: inventedChip(input('flops'), input('hbm'), 16e9),
        chips: input('chips'),
        batch: input('batch'),
        context: input('seq'),
        weights: weightsOf(input),
      }
      const plan = generated(asked)
      const { kvCacheSeconds, weightsSeconds, arithmeticSeconds } = plan.streaming
      return {
        kv_s: kvCacheSeconds,
        mlp_s: Math.max(weightsSeconds, arithmeticSeconds),
        step_ms: plan.stepTimeSeconds * 1e3,
        tokens_per_ms_per_chip: plan.tokensPerSecondPerChip / 1e3,
        fits: plan.feasible,
      }
    })
  }

  hold('in-q4', 'an 18B model on sixteen v5e without wraparound', (input) => {
    const { kvCacheSeconds, weightsSeconds } = generated(question4(input)).streaming
    const plan = generated(question4(input))
    const unreplicated = [1, 2, 4, 8, 16].map((tensor) =>
      evaluated(
        question4(input),
        { tensor, tensor2: input('chips') / tensor },
        { attention: '1d/heads-batch' },
      ),
    )
    const least = Math.min(...unreplicated.map(({ memoryBytes }) => memoryBytes.kvCache))
    const byHeads = unreplicated.filter(({ memoryBytes }) => memoryBytes.kvCache === least).at(-1)
    const fourByFour = torus([4, 4], input('W_uni'), { wraps: false, hopSeconds: 1 })
    const gather = groupCost(
      fourByFour,
      { kind: 'torus', parts: [0, 1].map((physical) => ({ physical, size: 4, stride: 1 })), slices: 1 },
      { ...book, latencyFactor: 1 },
    )
    const whole = localTerm(elementBytes.int8, shardedArray('In', 'activation', 'B D').dimensions)
    const sizes = createSizes(modelOf({ dModel: 4096 }), book)
    setShape(sizes, { sequences: input('batch'), positions: 1, context: 1 })
    return {
      tp_limit_2axes_ring: mostTensor(input, true),
      tp_limit_2axes_nowrap: mostTensor(input, false),
      kv_head_shards: byHeads?.mesh.tensor ?? 0,
      kv_batch_shards: byHeads?.mesh.tensor2 ?? 0,
      attn_s: kvCacheSeconds,
      mlp_s: plan.stepTimeSeconds - kvCacheSeconds,
      step_s: plan.stepTimeSeconds,
      param_load_s: weightsSeconds,
      step_s_full_hbm: fullStep(input),
      ici_hops_ag_nowrap: gather.latency,
      decode_act_bytes: localValue(whole, sizes),
    }
  })

  hold('art-pp-batch', 'stages hold the caches of all that is in flight, and read weights alone', (input) => {
    const asked: Generation = {
      // The article counts layers alone.
      model: { ...catalogueModel('llama-1-65b'), vocab: 0 },
      chip: { ...catalogueChip('a100-80g-sxm', 'book'), hbmBytes: plenty },
      chips: input('N'),
      batch: 8 * input('N'),
      context: 1024,
    }
    const tensor = evaluated(asked, { tensor: input('N') })
    const pipeline = evaluated(asked, { pipeline: input('N') })
    return {
      pp_batch_over_tp_batch: pipeline.microbatchTokens / tensor.microbatchTokens,
      pp_latency_over_tp_weight_load: pipeline.streaming.weightsSeconds / tensor.streaming.weightsSeconds,
    }
  })
})

function question4(input: Input): Generation {
  return {
    model: modelKeeping({
      parameters: input('params'),
      kvBytesPerToken: input('kv_bytes_per_token'),
      kvHeads: input('K'),
    }),
    chip: inventedChip(input('int8_ops') / 2, input('hbm'), catalogueChip('tpu-v5e', 'book').hbmBytes),
    chips: input('chips'),
    batch: input('batch'),
    context: input('context'),
    weights: 'int8',
  }
}

/** With caches of so many more bytes that nothing is left. */
function fullStep(input: Input): number {
  const asked = question4(input)
  const left = input('chips') * asked.chip.hbmBytes - input('params')
  const kvBytesPerToken = left / input('batch') / input('context')
  const model = modelKeeping({ parameters: input('params'), kvBytesPerToken, kvHeads: input('K') })
  return generated({ ...asked, model }).stepTimeSeconds
}

/** They fall out of the limit. */
const [D, tokens] = [8192, 2 ** 20]
/** So large that one chip more or less is nothing. */
const many = 2 ** 20

/** In bf16: int8 computes twice as fast and moves half as much. */
function mostTensor(input: Input, wraps: boolean): number {
  const rate = 2 * input('W_uni')
  const most = crossing(
    (size) => {
      const ringed = onRings({ tensor: { size, rings: 2 } }, rate)
      const network = wraps ? ringed.network : withoutRings(ringed.network)
      const { compute, communication } = inferenceMlpTime(
        {
          D,
          F: many * input('F'),
          chip: inventedChip(input('int8_ops') / 2),
          arrangement: { ...ringed, network },
          layout: '1d',
        },
        tokens,
      )
      return compute - communication
    },
    1.5,
    many * 1e4,
  )
  return most / many
}

function thirteenB(input: Input, kvHeads: number, parameters: number, cache: number): Generation {
  return {
    model: modelKeeping({ parameters, kvBytesPerToken: cache / input('context'), kvHeads }),
    chip: inventedChip(input('flops_bf16'), input('hbm'), plenty),
    chips: input('chips'),
    batch: input('batch'),
    context: input('context'),
  }
}

/** The type that makes so many bytes of so many parameters. */
function weightsOf(input: Input): ElementType {
  const types: readonly ElementType[] = ['bf16', 'int8', 'int4']
  const size = input('param_bytes') / input('params')
  const found = types.find((type) => elementBytes[type] === size)
  if (!found) throw new RangeError(`Nothing has ${size} bytes`)
  return found
}
