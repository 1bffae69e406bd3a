/** A dense model that is small enough to try everything on, and large enough that chips matter. */
export const smallDense = {
  layers: 6,
  dModel: 2048,
  dFf: 8192,
  heads: 16,
  kvHeads: 4,
  headDim: 128,
  vocab: 32_000,
  gatedMlp: true,
  tiedEmbeddings: false,
}
