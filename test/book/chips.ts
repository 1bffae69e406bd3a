/** Catalogue chips with the book's figures, and chips that a case makes up. */

import { readFileSync } from 'node:fs'
import type { Chip } from '../../src/hardware/chip.ts'
import { type ChipRecord, chipOf } from '../../src/hardware/record.ts'
import type { ElementType } from '../../src/recipe/element-types.ts'
import type { BytesPerSecond, FlopsPerSecond } from '../../src/units.ts'

const folder = new URL('../../fixtures/hardware/', import.meta.url)

export function catalogueChip(name: string, basis: 'book' | 'calibrated' = 'book'): Chip {
  const record: ChipRecord = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
  return chipOf(record, basis)
}

/** HBM is as fast and as large as the case says; where it says nothing, it is in nobody's way. */
export function inventedChip(
  peakFlopsPerSecond: FlopsPerSecond | Partial<Record<ElementType, FlopsPerSecond>>,
  hbmBytesPerSecond: BytesPerSecond = Number.POSITIVE_INFINITY,
  hbmBytes = 1e15,
): Chip {
  return {
    name: 'invented',
    kind: 'tpu',
    peakFlopsPerSecond:
      typeof peakFlopsPerSecond === 'number' ? { bf16: peakFlopsPerSecond } : peakFlopsPerSecond,
    hbmBytes,
    hbmBytesPerSecond,
    hostBytesPerSecond: 1e10,
    efficiency: { matmul: 1, matmulHalfFlops: 0, attention: 1, hbm: 1, scaleUp: 1, scaleOut: 1 },
    system: { kind: 'switched', tiers: [] },
  }
}
