/** Faults of attention to pooled positions as it is spelled. */
import { compact } from '../compact.ts'
import type { Spelling } from './spelling.ts'

export interface SpellingFault {
  /** JSON pointer into the spelling. */
  readonly pointer: string
  readonly detail: string
}

export function compressedFaults(spelling: Spelling): readonly SpellingFault[] {
  const {
    layers,
    heads,
    kvHeads,
    headDim,
    attention = {},
    recurrence,
    layerPattern,
    parallelBlocks,
  } = spelling
  const { kind, compressed, index, mla, window, kvShareGroup = 1, outputGate } = attention
  if (!compressed) return []
  const { outputGroups, sparse, heavy } = compressed
  const pooled = sparse.layers + heavy.layers
  const others = compact(
    mla && 'mla',
    window !== undefined && 'a window of its own',
    kvShareGroup > 1 && 'kvShareGroup',
    outputGate && 'outputGate',
    recurrence && 'a recurrence',
    layerPattern !== undefined && 'a layerPattern',
    parallelBlocks && 'parallelBlocks',
  )
  const pointer = '/attention/compressed'
  return compact<SpellingFault>(
    kvHeads !== 1 &&
      kind !== 'mqa' && {
        pointer: '/kvHeads',
        detail: 'is 1 with compressed: all queries meet one head of keys',
      },
    headDim === undefined && { pointer: '/headDim', detail: 'is required with compressed' },
    !index && {
      pointer: '/attention/index',
      detail: 'is required with compressed: it chooses among what sparse layers pool',
    },
    heads % outputGroups !== 0 && {
      pointer: `${pointer}/outputGroups`,
      detail: `${outputGroups} groups do not divide the ${heads} heads`,
    },
    pooled > layers && { pointer, detail: `${pooled} layers pool positions, and there are ${layers}` },
    others.length > 0 && { pointer, detail: `cannot stand beside ${others.join(', ')}` },
  )
}
