/** Suggestions of fewer sequences, a longer step, or narrower element types, for phases and deployments. */
import type { Chip } from '../../hardware/chip.ts'
import { peakOf } from '../../hardware/peak.ts'
import { narrowed } from '../../precision/stored.ts'
import type { InferenceProblem, Precision } from '../../problem.ts'
import { isNarrow } from '../../recipe/element-type.ts'
import type { Seconds } from '../../units.ts'
import type { Suggestion } from '../answer.ts'
import { mostThatFits } from './resource-suggestions.ts'

/** `shown` is the number of sequences that the plan has. */
export function fewerSequences(
  pointer: string,
  asked: number,
  shown: number,
  fits: (sequences: number) => boolean,
): Suggestion | null {
  const fewer = mostThatFits(asked, fits)
  if (fewer === null) return null
  const detail = `${fewer} instead of ${shown}`
  return { change: 'fewer sequences at once', pointer, value: fewer, detail }
}

export function longerStep(value: Seconds, detail: string): Suggestion {
  return { change: 'a longer step', pointer: '/workload/maxStepSeconds', value, detail }
}

/** `found` says in words what exists with the changed types; null if nothing does. */
export function narrowerTypes(
  problem: InferenceProblem,
  keys: readonly NarrowerType['key'][],
  found: (precision: Precision) => string | null,
): readonly Suggestion[] {
  return smallerTypes(problem.cluster.chip)
    .filter(({ key }) => keys.includes(key) && !isNarrow(problem.precision[key]))
    .flatMap(({ key, value }) => {
      const what = found(narrowed(problem, key, value))
      if (what === null) return []
      const change = `${key === 'weights' ? 'weights' : 'caches'} in ${value}`
      return [{ change, pointer: `/precision/${key}`, value, detail: `with ${change} ${what}` }]
    })
}

type NarrowerType = ReturnType<typeof smallerTypes>[number]

/**
 * Types of one byte and of half a byte: floating point if the chip multiplies it, as frameworks then do (vLLM and
 * SGLang: fp8 weights and caches on Hopper, NVFP4 on Blackwell), otherwise integers. Caches are never kept in less than
 * a byte.
 */
function smallerTypes(chip: Chip) {
  const byte = peakOf(chip, 'fp8') === undefined ? 'int8' : 'fp8'
  const half = (['nvfp4', 'mxfp4'] as const).find((type) => peakOf(chip, type) !== undefined) ?? 'int4'
  return [
    { key: 'weights', value: byte },
    { key: 'weights', value: half },
    { key: 'kvCache', value: byte },
  ] as const
}
