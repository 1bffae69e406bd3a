/**
 * The mixers of layers that Megatron-LM's options describe: a recurrence in all layers but the last of every so many, which attends, or an
 * index of positions. An option that is not one of these is a fault, as full attention would cost something else. Source: core_v0.19.0,
 * la_freq_type in megatron/training/arguments.py, experimental_attention_variant in megatron/core/transformer/transformer_config.py, and
 * get_linear_attention_pattern in megatron/core/models/gpt/experimental_attention_variant_module_specs.py.
 */
import { compact } from '../../../compact.ts'
import { type Fields, ownValue } from '../../../fields.ts'
import { attendingPattern } from '../../../model/recurrence.ts'
import { inverse } from '../../read/inverse.ts'
import { pythonList } from '../../read/python-list.ts'
import { attentionSettings, indexedVariant, recurrentVariants } from '../attention.ts'
import type { MegatronSaid } from '../settings.ts'

interface Mixers {
  readonly recurrence: Fields | null
  /** An index of positions; null where queries meet all of them. */
  readonly index: Fields | null
  readonly faults: readonly string[]
  readonly notes: readonly string[]
}

const variantOption = attentionSettings.variant.option
const everyOption = attentionSettings.recurrence.rows.attentionEvery.option

/** `gdn` is what later releases call it. */
const mixers: Readonly<Record<string, string | undefined>> = {
  ...inverse(recurrentVariants),
  gdn: 'gated-delta-net',
}

/** `layers` is null where the options do not describe a model. */
export function readMixers(said: MegatronSaid, layers: number | null): Mixers {
  const { variant } = said
  const { attentionEvery: every, ...dims } = said.recurrence
  const index = variant === indexedVariant ? indexOf(said.index) : null
  const mixer = variant === null ? undefined : ownValue(mixers, variant)
  const none = { recurrence: null, index: null, faults: [], notes: [] }
  if (variant !== null && mixer === undefined && variant !== indexedVariant) {
    const known = [...Object.values(recurrentVariants), indexedVariant].join(' and ')
    return { ...none, faults: [`${variantOption} ${variant.slice(0, 100)} is not counted: ${known} are`] }
  }
  if (layers === null) return none
  if (mixer === undefined) {
    const notes = compact(
      every !== null &&
        `${everyOption} without ${variantOption} ${Object.keys(mixers)[0]}: every layer attends, as Megatron-LM has it then`,
    )
    if (variant === null || index) return { ...none, index, notes }
    const needs = [rows.heads, rows.headDim, rows.positions].map(({ option }) => option)
    return { ...none, notes, faults: [`${variantOption} ${variant} needs ${needs.join(', ')}`] }
  }
  if (every === null) return { ...none, faults: [`${variantOption} ${variant} needs ${everyOption}`] }
  const pattern = patternOf(every, layers)
  if (typeof pattern === 'string') {
    return { ...none, faults: [`${everyOption} ${every.slice(0, 100)} ${pattern}`] }
  }
  return { ...none, recurrence: pattern && { mixer, ...pattern, ...dims } }
}

const { rows } = attentionSettings.index

/** Of the options of an index only those have defaults that say which layers have one. */
function indexOf({ heads, headDim, positions, every, firstLayers }: MegatronSaid['index']): Fields | null {
  if (heads === null || headDim === null || positions === null) return null
  return { positions, heads, headDim, ...(every > 1 ? { firstLayers, every } : {}) }
}

/** Which layers attend, in the words of a request; null if all do, a text where it is no such pattern. A list has 1 for each layer with a recurrence. */
function patternOf(every: string, layers: number): Fields | null | string {
  if (/^\d+$/.test(every)) {
    const attentionEvery = Number(every)
    if (attentionEvery === 0) return 'is no count'
    return attentionEvery === 1 ? null : { attentionEvery }
  }
  const list = pythonList(every)
  if (!list) return 'is neither a number nor a list of layers'
  if (list.length !== layers) return `has ${list.length} layers, not the ${layers} of --num-layers`
  if (!list.includes(1)) return null
  const pattern = attendingPattern(list.map((recurs) => recurs === 0))
  const isPattern = pattern !== null && list.every((recurs) => recurs === 0 || recurs === 1)
  return isPattern ? { ...pattern } : 'is not counted: only the last of every so many layers may attend'
}
