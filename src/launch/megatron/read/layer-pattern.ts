/**
 * A pattern of layers that have a mixer alone or an MLP alone, as Megatron-LM's --hybrid-layer-pattern has it (../hybrid.ts, with the same
 * source). Layers of other kinds than plans count, and further layers of other kinds than one that attends and one with experts, are faults.
 */
import { compact } from '../../../compact.ts'
import type { Fields } from '../../../fields.ts'
import { blockLetters, furtherBlocks, letters, otherLetter } from '../../../model/layer-pattern.ts'
import { inverse } from '../../read/inverse.ts'
import type { Options } from '../../read/options.ts'
import { hybridConvolution, patternLetters } from '../hybrid.ts'

export interface PatternRead {
  /** A letter for each layer. */
  readonly layers: string
  /** Layers of each chunk of the pipeline; one if the pattern has no bars. */
  readonly chunks: readonly number[]
  /** Further layers that predict tokens; null where the pattern has none. */
  readonly further: number | null
  readonly faults: readonly string[]
}

const names = ['--hybrid-layer-pattern', '--hybrid-override-pattern'] as const

/** Null where the options have no pattern. */
export function readPattern(options: Options): PatternRead | null {
  const written = options.text(...names)
  if (written === null) return null
  const [main = '', ...further] = written.split('/')
  const chunks = main.split('|')
  const layers = chunks.join('')
  const other = otherLetter(layers)
  const of = `${names[0]} ${written.slice(0, 100)}`
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

/** Defaults are its own: heads that fill twice the stream. */
export function recurrenceOf(options: Options, { layers }: PatternRead): Fields | null {
  const valueDim = options.whole('--mamba-head-dim') ?? 64
  const heads = options.whole('--mamba-num-heads')
  const dims = {
    keyHeads: options.whole('--mamba-num-groups') ?? 8,
    keyDim: options.whole('--mamba-state-dim') ?? 128,
    heads: heads ?? Math.trunc((2 * (options.whole('--hidden-size') ?? 0)) / valueDim),
    valueDim,
    convolution: hybridConvolution,
  }
  return layers.includes(blockLetters.recurrent) ? { mixer: mixers[blockLetters.recurrent], ...dims } : null
}
