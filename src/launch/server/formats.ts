/**
 * Element types as frameworks name them. Weights narrower than 16 bits come from a checkpoint that is quantised so.
 * `pairs` are the types of weights and matmuls that a framework has kernels for, as `weights/compute`; all four-bit
 * floats share one name.
 */

import { plainType, scalesBlocks } from '../../hardware/peak.ts'
import { bytesText } from '../../plan/explain/figures.ts'
import type { Precision, Setting } from '../../problem.ts'
import { elementBytes, isNarrow, usualType } from '../../recipe/element-type.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { Rule } from '../../rules/rule.ts'
import { longName } from '../long-names.ts'
import type { Serving } from './serving.ts'

export interface Formats {
  readonly pairs: readonly string[]
  /** Those of them that the framework makes of a checkpoint in 16 bits as it loads it, by --quantization. */
  readonly makes?: readonly string[]
  /** The framework's name for each type that a cache may have. */
  readonly caches: Readonly<Partial<Record<ElementType, string>>>
}

const besideEight = 'fp4/fp8'

export function formatPair({ weights, compute }: Precision): string {
  return `${plainType(weights)}/${plainType(compute)}`
}

/**
 * Whether the framework is told to quantise a checkpoint in 16 bits as it loads it: where no release in the plan's types is known, and the chips
 * have room for twice the bytes until it is done. Servers that send each other caches compare the names of what they load, and not all of a deployment may have
 * the room: they load one that is stored so. A quantised checkpoint says so itself, and a flag beside it is refused, as most in fp8 are those
 * of compressed-tensors or ModelOpt (stored-by.ts), or redundant.
 */
export function quantizesItself(
  { setting: { precision }, memory, transfers }: Pick<Serving, 'setting' | 'memory' | 'transfers'>,
  { makes = [] }: Formats,
): boolean {
  const { checkpoint, parameterBytes } = precision
  if (transfers || (checkpoint ?? parameterBytes ?? !makes.includes(formatPair(precision)))) return false
  const wide = elementBytes[usualType] / elementBytes[precision.weights]
  return memory.parameters * wide <= memory.budget
}

/** The known release in 16 bits, of which such weights are made. */
export function wideRelease({ checkpoints = [] }: Pick<Setting, 'checkpoints'>): string | undefined {
  return checkpoints.find(({ weights, quantized }) => weights === usualType && !quantized)?.name
}

/** Whether weights in four bits are multiplied beside activations in bf16. */
export function unpacksWeights(precision: Precision): boolean {
  return formatPair(precision) === 'fp4/bf16'
}

/** Experts alone are kept in four bits so, as those of gpt-oss are in MXFP4, but for types that the framework unpacks everywhere. */
export function unpackedRule(framework: string, everywhere: readonly ElementType[] = []): Rule<Serving> {
  return {
    broken: ({ model, setting: { precision } }) =>
      unpacksWeights(precision) && model.experts === null && !everywhere.includes(precision.weights),
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
  if (!unpacksWeights(precision)) return null
  return `${framework} unpacks weights in ${precision.weights} to bf16 as it multiplies.`
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

export function checkpointNote(serving: Serving, framework: string, formats: Formats): string | null {
  const { weights, compute, checkpoint = 'a checkpoint' } = serving.setting.precision
  if (!isNarrow(weights)) return null
  if (quantizesItself(serving, formats)) {
    const bytes = bytesText((serving.memory.parameters * elementBytes[usualType]) / elementBytes[weights])
    const wide = wideRelease(serving.setting) ?? 'a checkpoint'
    return `${framework}: ${wide} in ${usualType} is meant, of which --quantization makes weights in ${weights} as it loads; they take ${bytes} of each chip until then. One that is stored in ${weights} says so itself: leave the option out.`
  }
  const alike = serving.transfers ? 'the same one in both phases' : 'no flag makes one'
  return `${framework}: load ${checkpoint} with weights in ${weights} for matmuls in ${compute}; ${alike}.`
}

/** The type of weights and matmuls where they are not quantised. */
export function typeWord({ setting: { precision } }: Serving): string {
  return longName(precision.compute)
}
