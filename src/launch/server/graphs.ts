/** For how many sequences a server captures graphs of its steps. */
import type { Serving } from './serving.ts'

/**
 * Kernels of larger steps take longer than their start, which is what a graph saves (0.3 ms a layer; 2048 tokens of a layer of 60e6
 * parameters take 0.35 ms on an H100), while each size takes time to capture and memory: SGLang has one for every 32 sequences. Recipes
 * of SemiAnalysisAI/InferenceX capture 1280 at most.
 */
const most = 2048

export function graphedSequences({ unitSequences }: Pick<Serving, 'unitSequences'>): number {
  return Math.min(unitSequences, most)
}

export function graphNote({ mode, gpu, unitSequences }: Serving, framework: string): string | null {
  if (mode === 'prefill' || !gpu || unitSequences <= most) return null
  return `${framework} is told to capture graphs of up to ${most} sequences: steps of the plan's ${unitSequences} run without one.`
}
