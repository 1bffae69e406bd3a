/** What a torchtitan config recomputes: the inverse of recomputation.ts. */
import type { Keys } from '../../read/fields.ts'
import { wholeLayersAgain } from '../../run/chunks.ts'
import { hasLowRank } from '../expert-flavors.ts'
import { byOperation, policyByOperation } from '../operations.ts'
import { found, open, type Read } from './stages.ts'

interface Beside {
  readonly name: string
  readonly flavor: string
  readonly tensor: number
  readonly fp8: boolean
  readonly deepEp: boolean
}

interface Recomputed extends Read<unknown> {
  /** Notes because of which what is kept in memory is not the file's. */
  readonly unheld: readonly string[]
}

/** Plans have no equivalent for a memory budget, nor for each choice of operations. */
export function readRecomputation(
  keys: Keys,
  stageLayers: readonly number[] | null,
  { name, flavor, tensor, fp8, deepEp }: Beside,
): Recomputed {
  const mode = keys.text('activation_checkpoint.mode', 'selective')
  const option = keys.text('activation_checkpoint.selective_ac_option', '2')
  if (mode === 'none' || mode === 'full') return held(mode)
  const isSelective = mode === 'selective'
  const every = isSelective && /^[1-9]\d*$/.test(option) ? Number(option) : null
  const written = `activation_checkpoint.mode ${mode}${isSelective ? ` of ${option}` : ''}`
  const lowRank = hasLowRank(name, flavor)
  const policy =
    isSelective && option === byOperation ? policyByOperation({ name, lowRank, tensor, fp8, deepEp }) : null
  if (policy !== null) return held(policy)
  if (every === null) {
    return unheld(
      `${written} is not counted as it is: what is recomputed is chosen, and whether the file fits is not said`,
    )
  }
  if (!stageLayers) {
    return unheld(
      `${written}, of a model that the config only names: what is recomputed is chosen, and whether the file fits is not said`,
    )
  }
  const full = stageLayers.reduce((sum, own) => sum + Math.floor(own / every), 0)
  return held(wholeLayersAgain(full, stageLayers))
}

function held(value: unknown): Recomputed {
  return { ...found(value), unheld: [] }
}

function unheld(note: string): Recomputed {
  return { ...open(note), unheld: [note] }
}
