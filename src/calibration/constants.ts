/**
 * Constants that may be set on measured runs: how far from the assumed value each may be expected to lie, and how far it may lie at all.
 * Spreads are those between the stacks in fixtures/stacks (what trains sustains 0.78 to 1 of what is assumed of its chip, and hides 0.3 to
 * 0.8 of critical communication) and, where stacks say nothing, those between kernels and links of the catalogue.
 */
import type { Reassumable } from '../cost/reassumed.ts'

export interface Constant {
  /** Whether the constant is off by a factor or by an amount. */
  readonly scale: 'ratio' | 'difference'
  /** One standard deviation: of the logarithm for a ratio, of the value itself for a difference. */
  readonly spread: number
  readonly range: readonly [least: number, most: number]
}

export const constants: Readonly<Record<Reassumable, Constant>> = {
  sustainedShare: { scale: 'ratio', spread: 0.1, range: [0.2, 1] },
  overlapCriticalPath: { scale: 'difference', spread: 0.2, range: [0, 1] },
  overlapPrefetched: { scale: 'difference', spread: 0.1, range: [0, 1] },
  hbmEfficiency: { scale: 'ratio', spread: 0.1, range: [0.2, 1] },
  scaleUpEfficiency: { scale: 'ratio', spread: 0.15, range: [0.1, 1] },
  scaleOutEfficiency: { scale: 'ratio', spread: 0.2, range: [0.05, 1] },
  layerOverheadSeconds: { scale: 'difference', spread: 5e-5, range: [0, 0.01] },
  expertLayerOverheadSeconds: { scale: 'difference', spread: 1e-3, range: [0, 0.05] },
  stepOverheadSeconds: { scale: 'difference', spread: 0.02, range: [0, 10] },
}

/** The value that lies `away` spreads from what is assumed, clipped to its range. */
export function moved(name: Reassumable, assumed: number, away: number): number {
  const { scale, spread, range } = constants[name]
  const value = scale === 'ratio' ? assumed * Math.exp(spread * away) : assumed + spread * away
  return Math.min(Math.max(value, Math.min(range[0], assumed)), Math.max(range[1], assumed))
}
