/**
 * Layers with experts, and the parameters of one.
 *
 *   router          D·E
 *   one expert      3·D·F_e (2·D·F_e without a gate)
 *   latent          3·M·F_e for one expert, and 2·D·M to project tokens down to a width M and back (LatentMoE: NVIDIA, "Nemotron 3 Super", arXiv 2604.12374)
 *   shared experts  as many again for each expert that every token visits
 *
 * After the first dense layers, every n-th layer has experts, the last of each n: layers 2, 4, … for n = 2.
 * A pattern of layers says itself which have experts (layer-pattern.ts). Biases of the router and gates on shared experts are left out.
 */
import { layerHas, layersWith } from './layer-pattern.ts'
import type { Transformer } from './transformer.ts'

export interface ExpertLayerParameters {
  readonly router: number
  readonly expert: number
  /** Parameters of all routed experts. */
  readonly routed: number
  /** Those that every token meets beside the router: shared experts, and the projections to the experts' own width and back. */
  readonly shared: number
  /** The parameters that one token meets: router, shared experts and its k routed ones. */
  readonly active: number
}

const none: ExpertLayerParameters = { router: 0, expert: 0, routed: 0, shared: 0, active: 0 }

export function expertLayers(model: Transformer): number {
  const { layers, experts } = model
  const listed = layersWith(model, 'sparse')
  if (listed !== null) return listed
  return experts ? Math.floor(Math.max(0, layers - experts.denseLayers) / experts.every) : 0
}

/** Layers with a dense MLP: all others, unless some have no MLP. */
export function denseLayers(model: Transformer): number {
  return layersWith(model, 'dense') ?? model.layers - expertLayers(model)
}

/** Whether a layer has experts; layers are counted from 0. */
export function hasExperts(model: Transformer, layer: number): boolean {
  const listed = layerHas(model, layer, 'sparse')
  if (listed !== null) return listed
  const { experts } = model
  return (
    experts !== null &&
    layer >= experts.denseLayers &&
    (layer - experts.denseLayers + 1) % experts.every === 0
  )
}

export function expertLayerParameters({ dModel, gatedMlp, experts }: Transformer): ExpertLayerParameters {
  if (!experts) return none
  const router = dModel * experts.experts
  const { latentWidth, dFfExpert, sharedExperts } = experts
  const matrices = gatedMlp ? 3 : 2
  const expert = matrices * (latentWidth ?? dModel) * dFfExpert
  const shared = sharedExperts * matrices * dModel * dFfExpert + 2 * dModel * (latentWidth ?? 0)
  return {
    router,
    expert,
    routed: experts.experts * expert,
    shared,
    active: router + shared + experts.activeExperts * expert,
  }
}
