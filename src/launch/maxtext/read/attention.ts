/** The attention kernel that MaxText's keys name, and whether its blocks fit the positions that it gets. Source: as splash.ts, and configs/base.yml. */
import type { Keys } from '../../read/fields.ts'
import { blockedPositions, blockFits, lanes, type SharedPositions, usualBlock } from '../splash.ts'

interface AttentionRead {
  /** Why the framework does not start. */
  readonly refusals: readonly string[]
  readonly faults: readonly string[]
}

/** The kernel where no key names one: flash attention, but `dot_product` for sequences shorter than a block. */
const usual = 'autoselected'

export function readMaxtextAttention(keys: Keys, shared: SharedPositions, onTpu: boolean): AttentionRead {
  const kernel = keys.text('attention', usual)
  const whole = kernel === 'dot_product' || (kernel === usual && shared.sequenceLength < lanes)
  if (whole) {
    const short = kernel === usual ? ` below ${lanes} positions` : ''
    const fault = `attention ${kernel}${short} keeps the scores of all positions whole, which is not counted: the nearest is attention=flash (cudnn_flash_te on GPUs)`
    return { refusals: [], faults: [fault] }
  }
  if (!onTpu) return { refusals: [], faults: [] }
  const refusals = blockedPositions(shared).flatMap((blocked) =>
    blocked.keys
      .map((key) => [key, keys.number(key, usualBlock)] as const)
      .filter(([, block]) => !blockFits(blocked, block))
      .map(
        ([key, block]) =>
          `${key} ${block} makes no whole blocks, of a multiple of ${lanes} each, of ${blocked.positions} positions: it does not start`,
      ),
  )
  return { refusals, faults: [] }
}
