/**
 * Layers that have a mixer alone or an MLP alone (Nemotron-H), where those of other models have both: a letter for each layer, as
 * Megatron-LM's --hybrid-layer-pattern and the config.json of these models have them. Such a layer has one norm, and adds to the stream once.
 *
 * Source: Megatron-LM @d98e8a64dd, megatron/core/models/hybrid/hybrid_layer_allocation.py; NVIDIA, "Nemotron-H" (arXiv 2504.03624).
 */
import type { Transformer } from './transformer.ts'

export const blockLetters = {
  /** A recurrence. */
  recurrent: 'M',
  attending: '*',
  /** A dense MLP. */
  dense: '-',
  /** Experts. */
  sparse: 'E',
} as const

export type Block = keyof typeof blockLetters

/** The letters that there are, to be listed in a sentence. */
export const letters: readonly string[] = Object.values(blockLetters)

/** A further layer that predicts a token: one that attends and one with experts. */
export const furtherBlocks = `${blockLetters.attending}${blockLetters.sparse}`

/** The first letter of a pattern that stands for no block. */
export function otherLetter(pattern: string): string | undefined {
  return [...pattern].find((letter) => !letters.includes(letter))
}

type Patterned = Pick<Transformer, 'layerPattern'>

/** Layers that have the block; null where a model's layers have a mixer and an MLP each. */
export function layersWith({ layerPattern }: Patterned, block: Block): number | null {
  return layerPattern === undefined ? null : layerPattern.split(blockLetters[block]).length - 1
}

/** Whether a layer, counted from 0, has one of the blocks; null as above. */
export function layerHas(
  { layerPattern }: Patterned,
  layer: number,
  ...blocks: readonly Block[]
): boolean | null {
  return layerPattern === undefined
    ? null
    : blocks.some((block) => blockLetters[block] === layerPattern[layer])
}

/** How often a layer adds to the stream, each time with a norm before: attention, then the MLP, or both at once, or the one that it has. */
export function blocksOfLayer({ parallelBlocks, layerPattern }: Transformer): 1 | 2 {
  return parallelBlocks || layerPattern !== undefined ? 1 : 2
}

/** Whether two neighbours have experts, or two have none. */
export function layersOfKindAdjoin(layerPattern: string, experts: boolean): boolean {
  const kinds = [...layerPattern].map((letter) => letter === blockLetters.sparse)
  return kinds.some((kind, layer) => kind === experts && kinds[layer + 1] === experts)
}

/** What a layer is of one with a mixer and an MLP, in norms, sums and whatever else goes with the number of blocks. */
export function shareOfWhole({ layerPattern }: Patterned): number {
  return layerPattern === undefined ? 1 : 1 / 2
}
