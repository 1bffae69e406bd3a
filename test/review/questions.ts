/** Questions that people ask, as requests; verdicts on their first plans are in fixtures/review.json. */

interface Question {
  readonly name: string
  readonly request: object
}

const train = (
  model: string,
  hardware: object,
  batchTokens: number,
  sequenceLength = 8192,
  more: object = {},
) => ({
  ...{ model, hardware, workload: { mode: 'train', batchTokens, sequenceLength } },
  ...more,
})

const gpus = (chip: string, chips: number) => ({ chip, chips })
const million = 2 ** 20
const fp8 = { precision: { compute: 'fp8' } }
const served = { precision: { weights: 'fp8', compute: 'fp8', kvCache: 'fp8' } }

export const questions: readonly Question[] = [
  { name: 'Llama 3.1 8B on 8 H100', request: train('llama-3.1-8b', gpus('h100-sxm', 8), million) },
  { name: 'Llama 3.1 8B on 64 H100', request: train('llama-3.1-8b', gpus('h100-sxm', 64), 4 * million) },
  { name: 'Llama 3.1 8B on 64 A100', request: train('llama-3.1-8b', gpus('a100-80g-sxm', 64), 4 * million) },
  {
    name: 'Llama 3.1 8B on 8 B200, fp8',
    request: train('llama-3.1-8b', gpus('b200-sxm', 8), million, 8192, fp8),
  },
  {
    name: 'Llama 3.1 8B at 131 072 tokens on 64 H100',
    request: train('llama-3.1-8b', gpus('h100-sxm', 64), 4 * million, 131_072),
  },
  { name: 'Llama 3.1 8B on 256 v5e', request: train('llama-3.1-8b', gpus('tpu-v5e', 256), 4 * million) },
  { name: 'Llama 3 70B on 64 H100', request: train('llama-3.1-70b', gpus('h100-sxm', 64), million) },
  { name: 'Llama 3 70B on 512 H100', request: train('llama-3.1-70b', gpus('h100-sxm', 512), 4 * million) },
  {
    name: 'Llama 3 70B on 512 H100, fp8',
    request: train('llama-3.1-70b', gpus('h100-sxm', 512), 4 * million, 8192, fp8),
  },
  { name: 'Llama 3 70B on 1000 H100', request: train('llama-3.1-70b', gpus('h100-sxm', 1000), 4 * million) },
  { name: 'Llama 3 70B on 64 GB200', request: train('llama-3.1-70b', gpus('gb200-nvl72', 64), million) },
  { name: 'Llama 3 70B on 256 v6e', request: train('llama-3.1-70b', gpus('tpu-v6e', 256), 4 * million) },
  {
    name: 'Llama 3 70B on a v5p pod',
    request: train('llama-3.1-70b', { chip: 'tpu-v5p', topology: [16, 20, 28] }, 4 * million),
  },
  {
    name: 'Llama 3 70B at 131 072 tokens on 512 H100',
    request: train('llama-3.1-70b', gpus('h100-sxm', 512), 16 * million, 131_072),
  },
  {
    name: 'Llama 3.1 405B on 1024 H100',
    request: train('llama-3.1-405b', gpus('h100-sxm', 1024), 4 * million),
  },
  {
    name: 'Llama 3.1 405B on 16 384 H100',
    request: train('llama-3.1-405b', gpus('h100-sxm', 16_384), 16 * million),
  },
  {
    name: 'Llama 3.1 405B on 256 GB200, fp8',
    request: train('llama-3.1-405b', gpus('gb200-nvl72', 256), 12 * million, 8192, fp8),
  },
  {
    name: 'GPT-3 175B on 1024 A100',
    request: train('gpt-3-175b', gpus('a100-80g-sxm', 1024), 1536 * 2048, 2048),
  },
  {
    name: 'Nemotron 4 340B on 512 H100',
    request: train('nemotron-4-340b', gpus('h100-sxm', 512), 512 * 4096, 4096),
  },
  {
    name: 'Mixtral 8x7B on 64 H100',
    request: train('mixtral-8x7b', gpus('h100-sxm', 64), 1024 * 4096, 4096),
  },
  {
    name: 'Qwen3 30B-A3B on 16 H100',
    request: train('qwen3-30b-a3b', gpus('h100-sxm', 16), 1024 * 4096, 4096),
  },
  {
    name: 'Qwen3 235B-A22B on 256 H100',
    request: train('qwen3-235b-a22b', gpus('h100-sxm', 256), 2048 * 4096, 4096),
  },
  {
    name: 'DeepSeek-V3 on 2048 H800, fp8',
    request: train('deepseek-v3', gpus('h800-sxm', 2048), 15_360 * 4096, 4096, fp8),
  },
  {
    name: 'DeepSeek-V3 on 256 GB200, fp8',
    request: train('deepseek-v3', gpus('gb200-nvl72', 256), 4096 * 4096, 4096, fp8),
  },
  {
    name: 'gpt-oss-120b on 64 GB200',
    request: train('gpt-oss-120b', gpus('gb200-nvl72', 64), 1280 * 4096, 4096),
  },
  {
    name: 'Llama 3 70B generates on 8 H100, 64 sequences',
    request: {
      ...{ model: 'llama-3.1-70b', hardware: gpus('h100-sxm', 8), ...served },
      workload: { mode: 'generate', batchSequences: 64, contextLength: 8192 },
    },
  },
  {
    name: 'Llama 3 70B reads 8192 tokens on 8 H100',
    request: {
      ...{ model: 'llama-3.1-70b', hardware: gpus('h100-sxm', 8), ...served },
      workload: { mode: 'prefill', promptLength: 8192, batchSequences: 1 },
    },
  },
  {
    name: 'DeepSeek-V3 generates on 32 H200, 1024 sequences',
    request: {
      ...{ model: 'deepseek-v3', hardware: gpus('h200-sxm', 32) },
      workload: { mode: 'generate', batchSequences: 1024, contextLength: 4096 },
    },
  },
  {
    name: 'Llama 3 70B served on up to 64 H100',
    request: {
      ...{ model: 'llama-3.1-70b', hardware: gpus('h100-sxm', 64), ...served },
      workload: {
        ...{ mode: 'serve', promptLength: 2048, outputLength: 256, requestsPerSecond: 20 },
        ...{ maxTimeToFirstTokenSeconds: 1, maxTimePerOutputTokenSeconds: 0.05 },
      },
    },
  },
  {
    name: 'Llama 3.1 8B served on up to 8 H100',
    request: {
      ...{ model: 'llama-3.1-8b', hardware: gpus('h100-sxm', 8), ...served },
      workload: {
        ...{ mode: 'serve', promptLength: 1024, outputLength: 256, requestsPerSecond: 20 },
        ...{ maxTimeToFirstTokenSeconds: 0.5, maxTimePerOutputTokenSeconds: 0.03 },
      },
    },
  },
]
