/** The book's running example: an MLP on v5p, FSDP over some rings and tensor parallelism over others. */
import { inventedChip } from '../chips.ts'
import { crossing, leastAt } from '../crossing.ts'
import { onRings } from '../hardware/networks.ts'
import { type Mlp, mlpTime } from './mlp.ts'

/** The book counts no HBM in these limits. */
export const v5p = inventedChip(4.59e14)
/** Both ways, one axis. */
export const v5pRing = 1.8e11

/** It falls out of every limit. */
const D = 8192

export function fsdpLayer(chips: number, F = 32768, rings = 3): Mlp {
  return { D, F, chip: v5p, arrangement: onRings({ fsdp: { size: chips, rings } }, v5pRing) }
}

/** FSDP over two rings, tensor parallelism over the third. */
export function mixedLayer(chips: number, X: number, F: number): Mlp {
  const fsdp = { size: X, rings: 2 }
  const tensor = { size: chips / X, rings: 1 }
  return { D, F, chip: v5p, arrangement: onRings({ fsdp, tensor }, v5pRing) }
}

/** Chips over three rings from which FSDP of a batch is no longer compute-bound. */
export function mostChips(batchTokens: number): number {
  return crossing((chips) => -spare(fsdpLayer(chips), batchTokens), 2, 1e9)
}

/** Tokens from which FSDP of so many chips is compute-bound. */
export function fsdpTokens(chips: number): number {
  const layer = fsdpLayer(chips)
  return crossing((tokens) => spare(layer, tokens), 1, 1e12)
}

/** The degree of FSDP at which the longer of the two communications is shortest. */
export function bestFsdp(chips: number, tokens: number, F: number): number {
  const communication = (X: number) => mlpTime(mixedLayer(chips, X, F), tokens).forward.communication
  return leastAt(communication, 1.001, chips / 1.001)
}

/** Compute beyond communication in the forward pass, at the best split. */
export function mixedSpare(chips: number, tokens: number, F: number): number {
  return spare(mixedLayer(chips, bestFsdp(chips, tokens, F), F), tokens)
}

/** Tokens a chip from which the best split is compute-bound. */
export function mixedTokensPerChip(chips: number, F: number): number {
  return crossing((tokens) => mixedSpare(chips, tokens, F), chips, 1e5 * chips) / chips
}

export function spare(layer: Mlp, tokens: number): number {
  const { forward } = mlpTime(layer, tokens)
  return forward.compute - forward.communication
}
