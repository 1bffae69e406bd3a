/**
 * A pattern of layers that have a mixer alone or an MLP alone, as Megatron-LM's --hybrid-layer-pattern has it (../hybrid.ts, with the same
 * source). Layers of other kinds than plans count, and further layers of other kinds than one that attends and one with experts, are faults.
 */
import { compact } from '../../../compact.ts'
import type { Fields } from '../../../fields.ts'
import { blockLetters, furtherBlocks, letters, otherLetter } from '../../../model/layer-pattern.ts'
import { inverse } from '../../read/inverse.ts'
import { hybridConvolution, hybridSettings, patternLetters } from '../hybrid.ts'
import type { MegatronSaid } from '../settings.ts'

export interface PatternRead {
  /** A letter for each layer. */
  readonly layers: string
  /** Layers of each chunk of the pipeline; one if the pattern has no bars. */
  readonly chunks: readonly number[]
  /** Further layers that predict tokens; null where the pattern has none. */
  readonly further: number | null
  readonly faults: readonly string[]
}

/** Null where the options have no pattern. */
export function readPattern({ pattern: written }: MegatronSaid): PatternRead | null {
  if (written === null) return null
  const [main = '', ...further] = written.split('/')
  const chunks = main.split('|')
  const layers = chunks.join('')
  const other = otherLetter(layers)
  const of = `${hybridSettings.pattern.option} ${written.slice(0, 100)}`
  return {
    layers,
    chunks: chunks.map(({ length }) => length),
    further: further.length > 0 ? further.length : null,
    faults: compact(
      other !== undefined && `${of}: layers of ${other} are not counted; ${letters.join(' ')} are`,
      further.some((one) => one !== furtherBlocks) &&
        `${of}: further layers are counted where each is one that attends and one with experts, ${furtherBlocks}`,
    ),
  }
}

const mixers = inverse(patternLetters)

/** Heads fill twice the stream where their number is not said. */
export function recurrenceOf({ scan, dModel }: MegatronSaid, { layers }: PatternRead): Fields | null {
  const heads = scan.heads ?? Math.trunc((2 * (dModel ?? 0)) / scan.valueDim)
  const dims = { ...scan, heads, convolution: hybridConvolution }
  return layers.includes(blockLetters.recurrent) ? { mixer: mixers[blockLetters.recurrent], ...dims } : null
}
