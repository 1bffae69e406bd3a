/** A dense model small enough to try everything on, and large enough that chips matter. */
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

/** Another, whose heads few axes divide evenly and whose vocabulary none does; its pipelines of 2, 3 and 4 stages are uneven. */
export const oddDense = {
  ...smallDense,
  layers: 5,
  dModel: 1024,
  dFf: 4096,
  heads: 12,
  vocab: 32_003,
}

/** A smaller one, with heads for sixteen chips. */
export const tinyDense = { ...smallDense, dModel: 1024, dFf: 4096, headDim: 64 }
