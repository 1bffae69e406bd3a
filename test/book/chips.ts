/** Chips that a case makes up. */
import type { Chip } from '../../src/hardware/chip.ts'
import type { ElementType } from '../../src/recipe/element-types.ts'
import type { BytesPerSecond, FlopsPerSecond } from '../../src/units.ts'

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
