/** A model as a catalogue file or a request spells it: what most models do not have may be left out. */
import { fullAttention, type Transformer } from './transformer.ts'

type Optional =
  | 'kvHeads'
  | 'headDim'
  | 'learnedPositions'
  | 'parallelBlocks'
  | 'attention'
  | 'experts'
  | 'multiTokenLayers'

export type Architecture = Omit<Transformer, 'name' | Optional> & Partial<Pick<Transformer, Optional>>

/** Defaults for what is left out: ungrouped heads that fill D, no learned positions, attention before the MLP and to all positions, no experts. */
export function transformer(name: string, architecture: Architecture): Transformer {
  const { heads, dModel } = architecture
  return {
    kvHeads: heads,
    headDim: dModel / heads,
    learnedPositions: 0,
    parallelBlocks: false,
    attention: fullAttention,
    experts: null,
    multiTokenLayers: 0,
    ...architecture,
    name,
  }
}
