/**
 * Time of the products of a window on one chip: each runs at the roofline of its own shape.
 *
 *   t = max((FLOPs + g·h) / (peak · e), bytes / (HBM · e_hbm))
 *
 * e is the fraction of peak that a large matmul reaches, h the FLOPs at which a matmul reaches half of that: the
 * saturation curve x/(x + h) that measured kernels follow. Each expert's matrix is a matmul of its own, g of them on a
 * chip: Transformer Engine runs them one by one on a few streams (its pull request 853). In MooreThreads/SimuMax
 * (@4dcaae513ba7, B200, both passes, 20 to 256 experts of 128 to 9832 rows) 108 grouped matmuls have an h of 7.2 GFLOP an
 * expert, where plain ones have 6.6; padding the rows to tiles explains them less well. Bytes are the
 * operands' and the result's, once each; a weight gradient that is added to a buffer is read from it and written back.
 *
 * In fewer bits than activations are kept in, rows of each expert are quantised by kernels of their own, which take a time beside each matmul (a stack's).
 *
 * On TPUs each grouped matmul takes a fixed time more, whatever its size: what grouped kernels lose at small ones.
 *
 * Attention is one kernel, in which a query that meets m keys takes the time of m + k, where k stands for starting and ending its rows
 * of tiles and for what is masked of the tiles on the diagonal. In ai-dynamo/aiconfigurator (@095f58a51c4c, causal, bf16, heads of
 * 128, 256 to 16 384 positions) 117 shapes of an H100 are then within 9 % in the median, 18 % without k; those of other GPUs within 9 to 15 %,
 * and 17 to 23 %. One start is in e, which was fitted to whole kernels. Passed around a ring of c chips, keys come in c parts, and rows
 * are started again for each. Causal work is balanced by halves of each part (zig-zag), so that a step has work for 3/4 of
 * the rows: 3(c - 1)/4 further starts.
 *
 * Kernels are measured in bursts. In training, with clocks under full power, matmuls and attention hold a share of e. Under a power cap both
 * run at the clocks that it leaves (hardware/power.ts).
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { Chip } from '../../hardware/chip.ts'
import { peakOf } from '../../hardware/peak.ts'
import { clockShare } from '../../hardware/power.ts'
import { elementRow, isNarrow, usualType } from '../../recipe/element-type.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { FlopsPerSecond, Seconds } from '../../units.ts'
import type { CompiledProduct } from '../compile/compile.ts'
import { one, type Scale, sumTerms, termValue } from '../compile/term.ts'

export interface ComputeRates {
  readonly secondsPerFlop: number
  readonly secondsPerAttentionFlop: number
  /** Rate of matmuls in the optimizer, which stay in bf16 where the model's run in less. */
  readonly secondsPerUpdateFlop: number
  readonly halfFlops: number
  /** Fixed time that each matmul of experts takes beside its FLOPs. */
  readonly groupedSeconds: Seconds
  /** The k above. */
  readonly attentionHalfKeys: number
  readonly secondsPerByte: number
  /** Whether matmuls run in fewer bits than activations are kept in. */
  readonly narrow: boolean
}

export function peakFlops(chip: Chip, type: ElementType): FlopsPerSecond {
  const peak = peakOf(chip, type)
  if (peak === undefined) throw new RangeError(`${chip.name} does not compute in ${type}`)
  return peak
}

export function computeRates(chip: Chip, compute: ElementType, assumptions: Assumptions): ComputeRates {
  const peak = peakFlops(chip, compute)
  // Attention kernels run in bf16 where the matmuls run in less: the softmax does not tolerate fp8 inputs without care.
  const widePeak = isNarrow(compute) ? (chip.peakFlopsPerSecond[usualType] ?? peak) : peak
  const clocks = clockShare(chip)
  return {
    secondsPerFlop: 1 / (peak * clocks * assumptions.matmulEfficiency),
    secondsPerAttentionFlop: 1 / (widePeak * clocks * assumptions.attentionEfficiency),
    secondsPerUpdateFlop: 1 / (widePeak * clocks * assumptions.matmulEfficiency),
    halfFlops: assumptions.matmulHalfFlops,
    groupedSeconds:
      assumptions.groupedMatmulSeconds + (isNarrow(compute) ? assumptions.groupedCastSeconds : 0),
    attentionHalfKeys: assumptions.attentionHalfKeys,
    secondsPerByte: 1 / (chip.hbmBytesPerSecond * assumptions.hbmEfficiency),
    narrow: isNarrow(compute),
  }
}

export function trainingRates(chip: Chip, compute: ElementType, assumptions: Assumptions): ComputeRates {
  const { sustainedShare } = assumptions
  const { share } = elementRow(compute)
  const rates = computeRates(chip, compute, assumptions)
  return {
    ...rates,
    // The share may be above 1, but no kernel is faster than peak.
    secondsPerFlop: Math.max(
      rates.secondsPerFlop / sustainedShare / (share ? assumptions[share] : 1),
      rates.secondsPerFlop * assumptions.matmulEfficiency,
    ),
    secondsPerAttentionFlop: rates.secondsPerAttentionFlop / sustainedShare,
    secondsPerUpdateFlop: rates.secondsPerUpdateFlop / sustainedShare,
  }
}

export function computeTime(
  products: readonly CompiledProduct[],
  scale: Scale,
  rates: ComputeRates,
): Seconds {
  let total = 0
  for (const product of products) total += product.times * productTime(product, scale, rates)
  return total
}

/** Time of running the product once; the caller multiplies by how often it counts. */
export function productTime(product: CompiledProduct, scale: Scale, rates: ComputeRates): Seconds {
  const bytes = sumTerms(product.bytes, scale)
  return Math.max(arithmeticTime(product, scale, rates), bytes * rates.secondsPerByte)
}

/** The part of the time that the matrix unit is busy; the rest is waiting for HBM. */
export function arithmeticTime(
  { flops, matmuls, attention, grouped, startedAgain }: CompiledProduct,
  scale: Scale,
  rates: ComputeRates,
): Seconds {
  // Elementwise work has no FLOPs, and no matrix unit to fill.
  if (flops.base === 0) return 0
  const perFlop = attention ? rates.secondsPerAttentionFlop : rates.secondsPerFlop
  // Nearly all products are one matmul, which needs no look-up.
  const count = matmuls === one ? 1 : termValue(matmuls, scale)
  let counted = termValue(flops, scale) + count * rates.halfFlops
  for (const term of startedAgain) counted += termValue(term, scale) * rates.attentionHalfKeys
  return counted * perFlop + (grouped ? count * rates.groupedSeconds : 0)
}
