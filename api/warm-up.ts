/**
 * Searches that warm the threads up. Each thread searches the first ones when it starts: the request that the service's log
 * suggests to try, and a small one of inference. The thread that is asked first goes on with a deployment of a mixture of experts, for
 * which the service waits before it listens. The further ones follow while nobody asks, and it says that it is ready when that thread has searched them
 * twice, the second time for requests that it sends itself.
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

const llama70b = { model: 'llama-3-70b', top: 10 }
const pod = { chip: 'tpu-v5p', topology: [8, 8, 12] }

/** One of each kind that takes long: many switched chips, a mixture on them, a torus, by the book and calibrated, generation, deployments. */
const kinds = [
  { ...llama70b, hardware: { chip: 'h100-sxm', chips: 1024 }, workload: train(4_194_304, 8192) },
  { model: 'mixtral-8x22b', hardware: { chip: 'h100-sxm', chips: 512 }, workload: train(4_194_304, 4096) },
  { ...llama70b, hardware: pod, workload: train(4_194_304, 8192) },
  { ...llama70b, hardware: pod, workload: train(4_194_304, 8192), assumptions: 'book' },
  { ...llama70b, hardware: { chip: 'h100-sxm', chips: 16 }, workload: generate },
  { ...llama70b, hardware: { chip: 'h100-sxm', chips: 16 }, workload: { mode: 'serve', ...serving } },
  {
    model: 'qwen3-30b-a3b',
    hardware: { chip: 'h100-sxm', chips: 16 },
    workload: { mode: 'serve', ...serving },
  },
]

const parsed = (body: unknown): OptimizeRequest => validated(optimizeRequest, body)

export const firstSearches: readonly OptimizeRequest[] = first.map(parsed)

export const searchesBeforeListening: readonly OptimizeRequest[] = [parsed(deployment)]

export const furtherSearches: readonly OptimizeRequest[] = kinds.map(parsed)

/** Bodies of requests for the first search and the further ones. */
export const asClients: readonly unknown[] = [tryIt, ...kinds]
