/** A model with the letters of a case, and one with any number of parameters. */
import { type Architecture, transformer } from '../../src/model/architecture.ts'
import { parameterCount } from '../../src/model/parameters.ts'
import type { Transformer } from '../../src/model/transformer.ts'

const plain: Architecture = {
  layers: 1,
  dModel: 8192,
  dFf: 32768,
  heads: 64,
  vocab: 0,
  gatedMlp: true,
  tiedEmbeddings: false,
}

/** The letters of a case; what it leaves out is of no account there. */
export function modelOf(letters: Partial<Architecture>): Transformer {
  return transformer('book', { ...plain, ...letters })
}

/** As many layers, a real number, as make so many parameters: for cases that give nothing but their count. */
export function modelOfSize(parameters: number): Transformer {
  const none = parameterCount(modelOf({ layers: 0 })).total
  const one = parameterCount(modelOf({ layers: 1 })).total
  return modelOf({ layers: (parameters - none) / (one - none) })
}
