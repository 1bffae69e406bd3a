/**
 * Searches that warm the threads up. Each thread searches the first ones when it starts: the request that the service's log
 * suggests to try, and a small one of inference. The thread that is asked first goes on with a deployment of a mixture of experts, for
 * which the service waits before it listens. The further ones follow while nobody asks.
 */
import { type OptimizeRequest, optimizeRequest } from './schemas/optimize.ts'
import { validated } from './validation/request-validation.ts'

const train = (batchTokens: number, sequenceLength: number) => ({
  mode: 'train',
  batchTokens,
  sequenceLength,
})

export const tryIt = {
  model: 'llama-3-8b',
  hardware: { chip: 'h100-sxm', chips: 64 },
  workload: train(4_194_304, 8192),
  top: 3,
}

const serving = { promptLength: 1024, outputLength: 256 }

const generate = { mode: 'generate', contextLength: 4096, batchSequences: 'max' }

const first = [tryIt, { model: 'llama-3-8b', hardware: { chip: 'h100-sxm', chips: 4 }, workload: generate }]

const deployment = {
  model: 'mixtral-8x7b',
  hardware: { chip: 'h100-sxm', chips: 8 },
  workload: { mode: 'serve', ...serving },
}

const kinds = [
  { ...tryIt, model: 'llama-3-70b', hardware: { chip: 'h100-sxm', chips: 256 } },
  { ...tryIt, model: 'mixtral-8x7b', hardware: { chip: 'h100-sxm', chips: 128 } },
  {
    model: 'llama-3-70b',
    hardware: { chip: 'h100-sxm', chips: 8 },
    workload: generate,
  },
  {
    model: 'llama-3-70b',
    hardware: { chip: 'h100-sxm', chips: 16 },
    workload: { mode: 'serve', ...serving },
  },
  { ...tryIt, model: 'llama-3-70b', hardware: { chip: 'tpu-v5p', topology: [8, 8, 8] } },
  { ...tryIt, model: 'qwen3-30b-a3b' },
  { ...tryIt, model: 'llama-3-70b', hardware: { chip: 'h100-sxm', chips: 512 }, top: 10 },
]

const parsed = (body: unknown): OptimizeRequest => validated(optimizeRequest, body)

export const firstSearches: readonly OptimizeRequest[] = first.map(parsed)

export const searchesBeforeListening: readonly OptimizeRequest[] = [parsed(deployment)]

export const furtherSearches: readonly OptimizeRequest[] = kinds.map(parsed)
