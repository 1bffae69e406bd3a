/**
 * Searches that warm the threads up. Each thread searches the first ones when it starts: the request that the service's log
 * suggests to try, and a small one of inference. The thread that is asked first goes on with a deployment of a mixture of experts, for
 * which the service waits before it listens. The further ones follow while nobody asks, and it says that it is ready when that thread has searched them,
 * and then others of the same kinds for requests that it sends itself.
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

interface Asked {
  readonly dense: string
  readonly mixture: string
  readonly smallMixture: string
  readonly topology: readonly [number, number, number]
  readonly many: number
  readonly some: number
  readonly few: number
  readonly tokens?: number
  readonly top?: number
}

/** One of each kind that takes long: many switched chips, a mixture on them, a torus, by the book and calibrated, generation, deployments. */
const kinds = ({ dense, mixture, smallMixture, topology, ...asked }: Asked) => {
  const { many, some, few, tokens = 4_194_304, top = 10 } = asked
  const model = { model: dense, top }
  const pod = { chip: 'tpu-v5p', topology }
  const h100 = (chips: number) => ({ chip: 'h100-sxm', chips })
  return [
    { ...model, hardware: h100(many), workload: train(tokens, 8192) },
    { model: mixture, top, hardware: h100(some), workload: train(tokens, 4096) },
    { ...model, hardware: pod, workload: train(tokens, 8192) },
    { ...model, hardware: pod, workload: train(tokens, 8192), assumptions: 'book' },
    { ...model, hardware: h100(few), workload: generate },
    { ...model, hardware: h100(few), workload: { mode: 'serve', ...serving } },
    { model: smallMixture, top, hardware: h100(few), workload: { mode: 'serve', ...serving } },
  ]
}

const asked: Asked = {
  ...{ dense: 'llama-3-70b', mixture: 'mixtral-8x22b', smallMixture: 'qwen3-30b-a3b' },
  ...{ topology: [8, 8, 12], many: 1024, some: 512, few: 16 },
}

/** Others, of which nothing is known yet, as it is not when a client asks. */
const askedNext: Asked = {
  ...{ dense: 'qwen2.5-72b', mixture: 'deepseek-v2', smallMixture: 'deepseek-v2-lite' },
  ...{ topology: [4, 12, 16], many: 768, some: 384, few: 24 },
}

/** So few chips that little is found, and all ways to look for it are gone. */
const askedLittle: Asked = {
  ...{ dense: 'llama-3-8b', mixture: 'deepseek-v2-lite', smallMixture: 'deepseek-v2-lite' },
  ...{ topology: [2, 2, 4], many: 16, some: 16, few: 4 },
  ...{ tokens: 131_072, top: 1 },
}

const parsed = (body: unknown): OptimizeRequest => validated(optimizeRequest, body)

export const firstSearches: readonly OptimizeRequest[] = first.map(parsed)

export const searchesBeforeListening: readonly OptimizeRequest[] = [parsed(deployment)]

export const furtherSearches: readonly OptimizeRequest[] = kinds(asked).map(parsed)

export const littleSearches: readonly OptimizeRequest[] = kinds(askedLittle).map(parsed)

/** Bodies of requests for the first search, and for others like the further ones. */
export const asClients: readonly unknown[] = [tryIt, ...kinds(askedNext)]
