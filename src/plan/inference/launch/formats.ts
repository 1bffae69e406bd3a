/**
 * Element types as frameworks take them. Weights in less than 16 bits come as such from a checkpoint that says how it is
 * quantised; `pairs` are the types of weights and matmuls that a framework has kernels for, as `weights/compute`.
 */
import type { ElementType } from '../../../hardware/chip.ts'
import type { Precision } from '../../../problem.ts'
import type { Check } from '../../launch/unsupported.ts'
import type { Serving } from './serving.ts'

export interface Formats {
  readonly pairs: readonly string[]
  /** The framework's names of what a cache may be. */
  readonly caches: Readonly<Partial<Record<ElementType, string>>>
}

export function formatPair({ weights, compute }: Precision): string {
  return `${weights}/${compute}`
}

export function formatChecks(
  { setting: { precision } }: Serving,
  framework: string,
  { pairs, caches }: Formats,
): readonly Check[] {
  const { weights, compute, kvCache } = precision
  return [
    [
      !pairs.includes(formatPair(precision)),
      `weights in ${weights} with compute in ${compute} are not mapped to ${framework}`,
    ],
    [!(kvCache in caches), `a cache in ${kvCache} is not mapped to ${framework}`],
  ]
}

/** `online` are pairs that the framework makes itself of a checkpoint in bf16. */
export function checkpointNotes(
  { setting: { precision } }: Serving,
  framework: string,
  online: readonly string[],
): readonly string[] {
  const { weights, compute } = precision
  if (weights === 'bf16' || weights === 'fp32' || online.includes(formatPair(precision))) return []
  return [
    `${framework}: load a checkpoint with weights in ${weights} for matmuls in ${compute}; no flag makes one.`,
  ]
}
