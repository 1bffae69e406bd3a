/** The software and hardware of measured rows in a plan's terms: the framework that launches it, and the generation of its chip. */
import type { Framework } from '../../src/launch/framework.ts'
import { type InferenceRow, publishedInference } from './inference/row.ts'
import { publishedRows } from './training/run.ts'

/** By how a row's `stack` begins; software that no plan gets flags for has none. */
const frameworksOf: readonly (readonly [software: string, framework: Framework])[] = [
  ['Megatron', 'megatron'],
  ['NeMo', 'megatron'],
  ['MaxText', 'maxtext'],
  // PyTorch's own FSDP, as torchtitan has it.
  ['fms-fsdp', 'torchtitan'],
  ['llm-foundry', 'torchtitan'],
  ['TensorRT-LLM', 'tensorrt-llm'],
  ['vLLM', 'vllm'],
  ['SGLang', 'sglang'],
]

export function frameworkOf(software: string): Framework | null {
  return frameworksOf.find(([begins]) => software.startsWith(begins))?.[1] ?? null
}

/** What ran of a row of inference: software, and its release where it is stated. */
export function softwareOf({ stack: ran, chip, year }: Pick<InferenceRow, 'stack' | 'chip' | 'year'>) {
  const [, stack = ran, release = 'not stated'] = /^(.*?)(?: ([\d.].*))?$/.exec(ran) ?? []
  return { stack, release, chip, year }
}

/** Names of fixtures/hardware: chips of one architecture, whose kernels are the same. */
export const generations = {
  ampere: ['a100-40g-sxm', 'a100-80g-sxm', 'a100-80g-pcie', 'a800-sxm'],
  hopper: ['h100-sxm', 'h100-pcie', 'h100-nvl', 'h200-sxm', 'h800-sxm', 'h20-sxm', 'h20-141g-sxm', 'gh200'],
  ada: ['l40s', 'l4'],
  blackwell: ['b200-sxm', 'b300-sxm', 'gb200-nvl72', 'gb300-nvl72'],
  'tpu-v4': ['tpu-v4'],
  'tpu-v5': ['tpu-v5e', 'tpu-v5p'],
  'tpu-v6e': ['tpu-v6e'],
  'tpu-7x': ['tpu-7x'],
} as const

export function generationOf(chip: string): string | null {
  return Object.entries<readonly string[]>(generations).find(([, chips]) => chips.includes(chip))?.[0] ?? null
}

export const files = ['dense-training', 'long-training', 'expert-training', 'training-memory'] as const

/** By row, the place that published it: a repository or a paper, whatever its version, page or table. */
export function sources(): ReadonlyMap<string, string> {
  const rows = [...files.flatMap((file) => publishedRows(file)), ...publishedInference()]
  return new Map(rows.map(({ id, source }) => [id, /^[^@:,]*/.exec(source)?.[0].trim() ?? source]))
}
