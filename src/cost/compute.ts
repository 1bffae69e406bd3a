/**
 * Time of the products of a window on one chip: each runs at the roofline of its own shape.
 *
 *   t = max((FLOPs + h) / (peak · e), bytes / (HBM · e_hbm))
 *
 * e is the fraction of peak that a large matmul reaches, h the FLOPs at which a matmul reaches half of that: the
 * saturation curve x/(x + h) that measured kernels follow. Bytes are the operands' and the result's, once each.
 *
 * Kernels are measured in bursts. In training matmuls and attention hold a share of e: clocks under full power.
 */
import type { Assumptions } from '../assumptions.ts'
import type { Chip, ElementType } from '../hardware/chip.ts'
import type { FlopsPerSecond, Seconds } from '../units.ts'
import type { CompiledProduct } from './compile.ts'
import { type Scale, termValue } from './term.ts'

export interface ComputeRates {
  readonly secondsPerFlop: number
  readonly secondsPerAttentionFlop: number
  /** Of matmuls in the optimizer, which stay in bf16 where the model's run in less. */
  readonly secondsPerUpdateFlop: number
  readonly halfFlops: number
  readonly secondsPerByte: number
}

export function peakFlops(chip: Chip, type: ElementType): FlopsPerSecond {
  const peak = chip.peakFlopsPerSecond[type]
  if (peak === undefined) throw new RangeError(`${chip.name} does not compute in ${type}`)
  return peak
}

export function computeRates(chip: Chip, compute: ElementType, assumptions: Assumptions): ComputeRates {
  const peak = peakFlops(chip, compute)
  // Attention kernels run in bf16 where the matmuls run in less: the softmax does not stand fp8 inputs untended.
  const widePeak = compute === 'fp32' ? peak : (chip.peakFlopsPerSecond.bf16 ?? peak)
  return {
    secondsPerFlop: 1 / (peak * assumptions.matmulEfficiency),
    secondsPerAttentionFlop: 1 / (widePeak * assumptions.attentionEfficiency),
    secondsPerUpdateFlop: 1 / (widePeak * assumptions.matmulEfficiency),
    halfFlops: assumptions.matmulHalfFlops,
    secondsPerByte: 1 / (chip.hbmBytesPerSecond * assumptions.hbmEfficiency),
  }
}

export function trainingRates(chip: Chip, compute: ElementType, assumptions: Assumptions): ComputeRates {
  const { sustainedShare, fp8Share } = assumptions
  const rates = computeRates(chip, compute, assumptions)
  return {
    ...rates,
    secondsPerFlop: rates.secondsPerFlop / sustainedShare / (compute === 'fp8' ? fp8Share : 1),
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

/** Once; how often it counts is the caller's. */
export function productTime(product: CompiledProduct, scale: Scale, rates: ComputeRates): Seconds {
  let bytes = 0
  for (const term of product.bytes) bytes += termValue(term, scale)
  return Math.max(arithmeticTime(product, scale, rates), bytes * rates.secondsPerByte)
}

/** The part that the matrix unit accounts for; what is beyond it is waiting for HBM. */
export function arithmeticTime(
  { flops, attention }: CompiledProduct,
  scale: Scale,
  rates: ComputeRates,
): Seconds {
  // Elementwise work has no FLOPs, and no matrix unit to fill.
  if (flops.base === 0) return 0
  const perFlop = attention ? rates.secondsPerAttentionFlop : rates.secondsPerFlop
  return (termValue(flops, scale) + rates.halfFlops) * perFlop
}
