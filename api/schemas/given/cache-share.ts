/** What a server gives its caches, in a plan of inference. */
import { z } from 'zod'
import { amount, share } from '../bound.ts'
import { optional } from '../field.ts'

const part = () => z.exactOptional(share('is a share, at most 1'))

export const cacheShare = optional(
  'Inference: what the server of this plan alone gives its caches, if that is less than the memory budget leaves them.',
  z.strictObject({
    ofMemory: part().describe(
      "Weights and caches together, as a share of the chip's memory (SGLang's `--mem-fraction-static`).",
    ),
    ofChip: part().describe(
      "All that the server holds, as a share of the chip's memory (vLLM's `--gpu-memory-utilization`).",
    ),
    ofFree: part().describe(
      "Caches, as a share of what weights and activations leave free (TensorRT-LLM's `free_gpu_memory_fraction`).",
    ),
    bytes: z
      .exactOptional(amount(1e15))
      .describe("Caches alone, in bytes of each chip (vLLM's `--kv-cache-memory-bytes`)."),
    keptBytes: z
      .exactOptional(amount(1e15))
      .describe(
        'What of `ofMemory` or `ofChip`, or beside `bytes`, goes to neither weights nor caches nor the activations of the plan: what is gone before weights are loaded (SGLang), graphs, and what a step takes in the profile by which a server sizes its caches (vLLM).',
      ),
  }),
)
