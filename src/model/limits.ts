/** The largest model that is taken: no product of these overflows, no list by layer is longer than it is worth. */
export const limits = {
  layers: 10_000,
  /** Of the stream, of a latent vector. */
  width: 1e6,
  mlpWidth: 1e7,
  heads: 1e5,
  headDim: 1e5,
  vocab: 1e8,
  experts: 1e5,
  positions: 1e9,
} as const
