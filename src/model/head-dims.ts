/**
 * How wide the vectors of a head are: H for keys and values alike, unless attention is latent.
 *
 *   latent attention   queries and keys are nope + rope wide, values have a width of their own
 *
 * Those are the widths of attention as trained and in prefill, where keys and values are projected up. A decoding
 * step may absorb the projections instead and meet the latent vectors themselves: keys keyValueRank + ropeHeadDim
 * wide, values keyValueRank. Source: DeepSeek-V2 (arXiv 2405.04434), section 2.1.
 */
import type { Transformer } from './transformer.ts'

export interface HeadDims {
  /** Width of queries and keys. */
  readonly key: number
  readonly value: number
}

export function headDims({ headDim, attention: { latent } }: Transformer): HeadDims {
  if (!latent) return { key: headDim, value: headDim }
  return { key: latent.nopeHeadDim + latent.ropeHeadDim, value: latent.valueHeadDim }
}
