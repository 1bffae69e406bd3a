/**
 * How wide a head's vectors are: H for both, unless a latent vector stands behind them.
 *
 *   latent attention   queries and keys nope + rope wide, values of a width of their own
 *
 * Those are the widths of attention as trained and in prefill, where keys and values are projected up. A decoding
 * step may absorb the projections instead and meet the latent vectors themselves: keys keyValueRank + ropeHeadDim
 * wide, values keyValueRank. Source: DeepSeek-V2 (arXiv 2405.04434), section 2.1.
 */
import type { Transformer } from './transformer.ts'

export interface HeadDims {
  /** Of queries and keys. */
  readonly key: number
  readonly value: number
}

export function headDims({ headDim, attention: { latent } }: Transformer): HeadDims {
  if (!latent) return { key: headDim, value: headDim }
  return { key: latent.nopeHeadDim + latent.ropeHeadDim, value: latent.valueHeadDim }
}
