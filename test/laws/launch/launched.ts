/** What starts a written plan of inference, with models and machines to write plans for. */
import { expect } from 'vitest'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import { spelledOut } from '../../../src/model/spelling.ts'
import type { PhaseProblem } from '../../../src/problem.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { type InferenceOptions, solver } from '../../inference-problem.ts'
import { unknownOptions } from '../../launch/server/options.ts'
import { legal } from '../../legal.ts'

export interface Unsupported {
  readonly unsupported: readonly string[]
}

export interface Launched {
  readonly vllm: readonly string[] | Unsupported
  readonly sglang?: readonly string[] | Unsupported
  readonly 'tensorrt-llm'?: Readonly<Record<string, unknown>> | Unsupported
  readonly maxtext?: Readonly<Record<string, unknown>> | Unsupported
  readonly commands?: Readonly<Record<string, { readonly command: string }>>
  readonly notes?: readonly string[]
}

export type Framework = Exclude<keyof Launched, 'notes' | 'commands'>

export const plain = { attention: '1d/heads', mlp: '1d', unembedding: '1d' }

export function launched(
  problem: PhaseProblem,
  mesh: Partial<Mesh>,
  layout: Readonly<Record<string, string>> = plain,
): Launched {
  const answer = legal(evaluateInference(problem, { mesh: { ...unitMesh, ...mesh }, layout }, solver))
  expect(unknownOptions(answer.plan.launch)).toEqual([])
  return answer.plan.launch as unknown as Launched
}

export const onHosts = (chips: number, more: Partial<InferenceOptions<never>> = {}) => ({
  model: 'llama-3-70b',
  chip: 'h100-sxm',
  chips,
  ...more,
})

export const onTorus = { model: 'llama-3-70b', chip: 'tpu-v5p', topology: [2, 2, 2] }

export const mixture = spelledOut('experts', {
  ...{ layers: 16, dModel: 2048, dFf: 5632, heads: 16, kvHeads: 16, vocab: 151936 },
  ...{ gatedMlp: true, tiedEmbeddings: false },
  moe: { experts: 8, activeExperts: 2, dFfExpert: 1408, denseLayers: 1 },
})

/** Attention in groups with sequences of their own, and all else in `rest`. */
export const inGroups = (attention: string, rest: string) => ({ attention, mlp: rest, unembedding: rest })

export const lines = (...words: readonly string[]) => words.join(' ').split(' ')

export const quoted = (flags: unknown) => (flags as readonly string[]).map((one) => `'${one}'`).join(' ')

/** These flags, one behind the other. */
export function says(flags: readonly string[] | Unsupported | undefined, some: string): void {
  expect(Array.isArray(flags) ? flags.join(' ') : flags).toContain(some)
}
