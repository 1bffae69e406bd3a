/**
 * Element types as frameworks name them. Weights narrower than 16 bits come from a checkpoint that is quantised so.
 * `pairs` are the types of weights and matmuls that a framework has kernels for, as `weights/compute`; all four-bit
 * floats share one name.
 */

import { plainType, scalesBlocks } from '../../hardware/peak.ts'
import type { Precision, Setting } from '../../problem.ts'
import { isNarrow } from '../../recipe/element-type.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { Rule } from '../../rules/rule.ts'
import { longName } from '../long-names.ts'
import type { Serving } from './serving.ts'

export interface Formats {
  readonly pairs: readonly string[]
  /** The framework's name for each type that a cache may have. */
  readonly caches: Readonly<Partial<Record<ElementType, string>>>
}

const besideEight = 'fp4/fp8'

export function formatPair({ weights, compute }: Precision): string {
  return `${plainType(weights)}/${plainType(compute)}`
}

/**
 * Whether the framework has to quantise a bf16 checkpoint while loading. A quantised checkpoint says so itself, and a
 * flag beside it is refused or redundant.
 */
export function quantizesItself(precision: Precision): boolean {
  return formatPair(precision) === 'fp8/fp8' && precision.parameterBytes === undefined
}

/** Only MXFP4 experts (gpt-oss) are kept in four bits with activations in bf16. */
export function unpackedRule(framework: string): Rule<Serving> {
  return {
    broken: ({ model, setting }) => formatPair(setting.precision) === 'fp4/bf16' && model.experts === null,
    says: `${framework} unpacks weights in fp4 to bf16 in experts alone`,
  }
}

/** Experts in MXFP4 beside inputs in MXFP8. */
export function multipliesBesideEight({ setting }: Serving): boolean {
  return formatPair(setting.precision) === besideEight
}

export function besideEightRules(framework: string): readonly Rule<Serving>[] {
  return [
    {
      broken: (serving) => multipliesBesideEight(serving) && serving.model.experts === null,
      says: `${framework} multiplies weights in fp4 beside fp8 in experts alone`,
    },
    {
      broken: (serving) => multipliesBesideEight(serving) && !scalesBlocks(serving.setting.cluster.chip),
      says: ({ setting: { cluster } }) =>
        `${framework} multiplies weights in fp4 beside fp8 on chips that scale blocks, and ${cluster.chip.name} does not`,
    },
  ]
}

export function unpackedNote({ precision }: Setting, framework: string): string | null {
  if (formatPair(precision) !== 'fp4/bf16') return null
  return `${framework} unpacks MXFP4 to bf16 (gpt-oss); NVFP4 it runs on Blackwell, in fp4.`
}

export function formatRules(framework: string, { pairs, caches }: Formats): readonly Rule<Serving>[] {
  return [
    {
      broken: ({ setting }) => !pairs.includes(formatPair(setting.precision)),
      says: ({ setting: { precision } }) =>
        `weights in ${precision.weights} with compute in ${precision.compute} are not mapped to ${framework}`,
    },
    {
      broken: ({ setting }) => !(setting.precision.kvCache in caches),
      says: ({ setting }) => `a cache in ${setting.precision.kvCache} is not mapped to ${framework}`,
    },
  ]
}

/** `online` are pairs that the framework can make from a bf16 checkpoint. */
export function checkpointNote(
  { setting: { precision } }: Serving,
  framework: string,
  online: readonly string[],
): string | null {
  const { weights, compute, checkpoint = 'a checkpoint' } = precision
  if (!isNarrow(weights)) return null
  if (online.includes(formatPair(precision)) && quantizesItself(precision)) {
    return `${framework}: a checkpoint in ${weights} is meant; of one in bf16 --quantization makes it as it loads, which has to fit first.`
  }
  return `${framework}: load ${checkpoint} with weights in ${weights} for matmuls in ${compute}; no flag makes one.`
}

/** The type of weights and matmuls where they are not quantised. */
export function typeWord({ setting: { precision } }: Serving): string {
  return longName(precision.compute)
}
