/** The largest model that is accepted: no product of these numbers overflows, and no list with an entry for each layer gets too long. */
export const limits = {
  layers: 10_000,
  /** Width of the stream, or of a latent vector. */
  width: 1e6,
  mlpWidth: 1e7,
  heads: 1e5,
  headDim: 1e5,
  vocab: 1e8,
  experts: 1e5,
  positions: 1e9,
} as const
