/** What reading a launch file uses of a model. */
import { denseLayers } from '../../model/expert-layers.ts'
import type { Transformer } from '../../model/transformer.ts'

/** Widths of what a step holds at once. */
export interface Widths {
  readonly vocab: number
  readonly dModel: number
  /** Of a layer's MLP; 0 where none has one. */
  readonly dFf: number
  /** Routed experts that a token visits, and the width of one. */
  readonly experts: { readonly active: number; readonly width: number } | null
}

export interface KnownModel {
  readonly layers: number
  readonly widths?: Widths
  readonly latent: boolean
  /** Whether attention is to positions that an index chooses, and whether to pooled ones; false when absent. */
  readonly chooses?: boolean
  readonly pools?: boolean
  /** Whether attention and MLP form a single component. */
  readonly parallelBlocks: boolean
  readonly experts: boolean
  readonly sharedExperts: boolean
  /** Whether some layers have an MLP. */
  readonly denseLayers: boolean
  /** Whether some layers have a recurrence in place of attention. */
  readonly recurrent: boolean
  readonly maxSequenceLength: number | null
  /** Whether the file loads a release that has just so many positions, as far as its name says. */
  readonly surePositions?: boolean
  /** What its config.json may say that its weights are quantised by, none for a release that is not; left out where that is not known. */
  readonly storedBy?: readonly string[]
  /** Whether the checkpoint is known to have weights in eight bits with a scale for each block of them. */
  readonly eightInBlocks?: boolean
}

export function knownOf(model: Transformer): KnownModel {
  const { layers, attention, experts, parallelBlocks, recurrence, maxSequenceLength = null } = model
  return {
    ...{ layers, parallelBlocks, maxSequenceLength, widths: widthsOf(model) },
    latent: attention.latent !== null,
    chooses: attention.index !== null,
    pools: attention.compressed !== undefined,
    experts: experts !== null,
    recurrent: recurrence !== undefined,
    sharedExperts: (experts?.sharedExperts ?? 0) > 0,
    denseLayers: denseLayers(model) > 0,
  }
}

function widthsOf(model: Transformer): Widths {
  const { vocab, dModel, dFf, experts } = model
  return {
    ...{ vocab, dModel, dFf: denseLayers(model) > 0 ? dFf : 0 },
    experts: experts && { active: experts.activeExperts, width: experts.dFfExpert },
  }
}
