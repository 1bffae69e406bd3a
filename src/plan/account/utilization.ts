/**
 * MFU and HFU: the useful FLOPs, or all executed ones, relative to what the chips would do at peak in the time of a
 * step. The peak is that of the matmuls' element type. As a step in fp8 may be faster than one in bf16 and yet use a
 * smaller share of its peak, the share of the bf16 peak is given too.
 */
import { peakFlops } from '../../cost/compute/compute.ts'
import { type Cluster, chipsAsked } from '../../hardware/cluster/cluster.ts'
import type { Precision } from '../../problem.ts'
import type { Flops, Seconds } from '../../units.ts'
import type { Plan } from '../plan.ts'

export type Utilization = Pick<Plan, 'mfu' | 'hfu' | 'mfuPeak' | 'mfuOfBf16Peak'>

export function utilization(
  cluster: Cluster,
  { compute }: Precision,
  seconds: Seconds,
): (useful: Flops, executed: Flops) => Utilization {
  const { chip } = cluster
  const chips = chipsAsked(cluster)
  const peak = peakFlops(chip, compute)
  const { bf16 } = chip.peakFlopsPerSecond
  return (useful, executed) => ({
    mfu: useful / (peak * chips * seconds),
    hfu: executed / (peak * chips * seconds),
    mfuPeak: { type: compute, flopsPerSecondPerChip: peak },
    mfuOfBf16Peak: bf16 === undefined ? null : useful / (bf16 * chips * seconds),
  })
}
