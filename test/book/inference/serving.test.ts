import { infer } from '../../../src/infer.ts'
import { kvCacheBytes, kvCacheBytesPerToken } from '../../../src/model/kv-cache.ts'
import { generateCapacity, prefillCapacity } from '../../../src/modes/serve/capacity.ts'
import { catalogueChip } from '../../catalogue.ts'
import { prompts, solver } from '../../inference-problem.ts'
import { type Input, section } from '../case.ts'
import { inventedChip } from '../chips.ts'
import { modelOf } from '../models.ts'
import { type Generation, generated, generationProblem, modelKeeping } from './generation.ts'

section('serving', (hold) => {
  hold('in-prefix', 'a prompt of which two thirds are cached takes a third of the compute', (input) => {
    const compute = (cachedPrefixLength: number) => {
      const asked: Generation = {
        model: modelKeeping({ parameters: 1e9, kvBytesPerToken: 1 }),
        chip: inventedChip(1e12),
        chips: 1,
        batch: 1,
        context: 1,
      }
      const workload = prompts(1, input('prompt'), { cachedPrefixLength })
      const [plan] = infer({ ...generationProblem(asked), workload }, solver).plans
      return plan?.timeSeconds.compute ?? Number.NaN
    }
    return { compute_fraction: compute(input('shared')) / compute(0) }
  })

  for (const id of ['ai-qps-int8', 'ai-qps-int4']) {
    hold(id, 'requests a second of a batch that is always full', (input) => {
      const each = generateCapacity(input('batch'), input('step_s'), input('decode_len'))
      return { qps_total: each, qps_per_chip: each / input('chips') }
    })
  }

  for (const [id, weights] of [
    ['ai-qps-double-bf16', 'bf16'],
    ['ai-qps-double-int8', 'int8'],
  ] as const) {
    hold(id, 'twice the chips hold more than three times the batch', (input) => {
      const asked = (kvBytesPerToken: number): Generation => ({
        model: modelKeeping({ parameters: 70e9, kvBytesPerToken }),
        chip: catalogueChip('tpu-v5e', 'book'),
        chips: input('chips'),
        batch: 1,
        context: input('context'),
        weights,
      })
      const plan = generated(asked(input('kv_bytes_per_token')))
      const exact = generated(asked(input('param_bytes') / 70e9 === 2 ? 327_680 : 163_840))
      const room = ({ memoryBytes: { budget, parameters, kvCache } }: typeof plan) =>
        (budget - parameters) / kvCache
      const whole = generated({ ...asked(input('kv_bytes_per_token')), batch: 'max' }).batchSequences
      const each = generateCapacity(whole, input('step_s'), input('decode_len'))
      return {
        remaining: (plan.memoryBytes.budget - plan.memoryBytes.parameters) * input('chips'),
        batch: room(plan),
        batch_exact_kv: room(exact),
        qps_total: each,
        qps_per_chip: each / input('chips'),
      }
    })
  }

  hold('ai-evict', 'a full batch sheds the caches of those that end', (input) => {
    const model = modelOf({})
    const perStep = generateCapacity(input('batch'), 1, input('decode'))
    const cache = kvCacheBytes(model, input('prefill') + input('decode'), 1)
    return {
      seqs_per_step: perStep,
      tokens_per_step: (perStep * cache) / kvCacheBytesPerToken(model, 1),
    }
  })

  hold('ai-pd-ratio', 'three servers of prefill keep one of generation busy', (input) => {
    const ratio = (batch: number) =>
      generateCapacity(batch, input('step_s'), input('decode_len')) / prefillCapacity(input('prefill_s'), 1)
    return { ratio: ratio(input('batch')), ratio_b43: ratio(43) }
  })

  hold('art-cost', 'five chip-milliseconds a token on a server of 50 000 dollars a year', (input) => {
    const { costPerMillionTokensUsd } = generated(rented(input))
    const perToken = (costPerMillionTokensUsd ?? Number.NaN) / 1e6
    return { usd_per_card_ms: perToken / input('chip_ms_per_token'), usd_per_1k_tokens: perToken * 1e3 }
  })
})

/** Weights that one card reads in so many milliseconds, for one sequence. */
function rented(input: Input): Generation {
  const hbmBytesPerSecond = 1e12
  const parameters = (input('chip_ms_per_token') / 1e3) * hbmBytesPerSecond
  const usdPerHour = input('server_usd_per_year') / (365 * 24) / input('cards')
  return {
    model: modelKeeping({ parameters, kvBytesPerToken: 1e-6 }),
    chip: { ...inventedChip(1e15, hbmBytesPerSecond, 1e12), usdPerHour },
    chips: input('cards'),
    batch: 1,
    context: 1,
    weights: 'int8',
  }
}
