/**
 * What is gone of a GPU's memory before a server loads weights: the driver's own, CUDA's context, and NCCL's buffers where several ranks share a
 * layer. Of the 79.65 GiB that nvidia-smi shows of an H100 78.68 are free to one rank, 77.66 to two and to four (jgchn/llm-d-planner @a95e9f6,
 * accuracy/results/v0.19.0, vLLM); of 140.4 of an H200 137.3 to eight (sgl-project/sglang pull request 11716, SGLang).
 */
import type { Bytes } from '../../units.ts'

const gibibyte = 2 ** 30

export function residentBytes(ranks: number): Bytes {
  return (ranks > 1 ? 2 : 1) * gibibyte
}
