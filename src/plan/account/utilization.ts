/**
 * MFU and HFU: the useful FLOPs, or all executed ones, relative to what the chips would do at peak in the time of a
 * step. The peak is that of the matmuls' element type. As a step in fp8 may be faster than one in bf16 and yet use a
 * smaller share of its peak, the share of the bf16 peak is given too.
 */
import { peakFlops } from '../../cost/compute/compute.ts'
import { chipsAsked } from '../../hardware/cluster/cluster.ts'
import type { Plan } from '../plan.ts'
import type { Account } from './account.ts'

export function utilization({
  setting: { cluster, precision },
  seconds,
  usefulFlops,
  executedFlops,
}: Account): Pick<Plan, 'mfu' | 'hfu' | 'mfuPeak' | 'mfuOfBf16Peak'> {
  const { chip } = cluster
  const chips = chipsAsked(cluster)
  const peak = peakFlops(chip, precision.compute)
  const { bf16 } = chip.peakFlopsPerSecond
  return {
    mfu: usefulFlops / (peak * chips * seconds),
    hfu: executedFlops / (peak * chips * seconds),
    mfuPeak: { type: precision.compute, flopsPerSecondPerChip: peak },
    mfuOfBf16Peak: bf16 === undefined ? null : usefulFlops / (bf16 * chips * seconds),
  }
}
