/**
 * Megatron-LM's flags for experts. Its dispatchers:
 *
 *   allgather   gathers tokens over tensor, experts are on all ranks: without an expert axis nothing is sent
 *   flex        DeepEP, or HybridEP where NVLink reaches beyond a host or the step is one CUDA graph, on GPUs of NVIDIA: sends
 *               one copy to each chip, as plans assume
 *   alltoall    NCCL: sends one copy to each expert
 *
 * Experts are split over tensor like an MLP, or tensor ranks have whole ones: an expert tensor parallel size of 1. Layers with experts are written as a pattern, because for a number n
 * Megatron-LM gives experts to the first of each n layers, plans to the last. It has no biases with shared experts or
 * with experts split over tensor, and no softmax after the choice if only one expert is chosen. Source: as flags.ts,
 * and docs/user-guide/features/moe.md, megatron/core/parallel_state.py,
 * megatron/core/transformer/moe/{token_dispatcher,shared_experts}.py, megatron/core/models/gpt/gpt_layer_specs.py.
 */

import { compact } from '../../compact.ts'
import { joinsHosts } from '../../hardware/cluster/hosts.ts'
import { hasDeepEp } from '../../hardware/vendor.ts'
import type { Router } from '../../model/details.ts'
import { expertRecipeRow } from '../../recipe/expert-recipes.ts'
import {
  copiesNote,
  expertPattern,
  expertRanks,
  foldingNote,
  routingGroups,
  type TokenDispatch,
} from '../run/experts.ts'
import type { MeshRun, Run } from '../run/run.ts'
import { counted, part, setting, whole, word } from '../settings/settings.ts'
import { told } from './details.ts'

const routerType = '--moe-router-dtype'

/** The experts of the model. */
export const expertSettings = part(expertsOf, {
  count: setting('--num-experts', ({ experts }) => experts, whole),
  activeExperts: setting('--moe-router-topk', ({ activeExperts }) => activeExperts, counted(2)),
  dFfExpert: setting('--moe-ffn-hidden-size', ({ dFfExpert }) => dFfExpert, whole),
  latentWidth: setting('--moe-latent-size', ({ latentWidth }) => latentWidth, whole),
  layers: setting('--moe-layer-freq', ({ run }) => layersOf(run), word),
  shared: setting(
    '--moe-shared-expert-intermediate-size',
    ({ sharedExperts, dFfExpert }) => sharedExperts > 0 && sharedExperts * dFfExpert,
    counted(0),
  ),
  groups: setting('--moe-router-num-groups', ({ groups }) => groups?.of, whole),
  groupLimit: setting('--moe-router-group-topk', ({ groups }) => groups?.kept, whole),
  score: setting('--moe-router-score-function', ({ router }) => !isSoftmax(router) && router?.score),
  beforeChoice: setting('--moe-router-pre-softmax', isBeforeChoice),
  router: part(({ router }: Experts) => router, {
    scale: setting('--moe-router-topk-scaling-factor', ({ scale }) => scale !== 1 && scale),
    bias: setting('--moe-router-enable-expert-bias', ({ bias }) => bias),
    sharedGate: setting('--moe-shared-expert-gate', ({ sharedGate }) => sharedGate),
  }),
  balance: part(({ router }: Experts) => (router?.lossCoefficient ? router : null), {
    bySequence: setting(
      '--moe-router-load-balancing-type',
      ({ evenBySequence }) => evenBySequence && 'seq_aux_loss',
    ),
    coefficient: setting('--moe-aux-loss-coeff', ({ lossCoefficient }) => told(lossCoefficient)),
  }),
  grouped: setting('--moe-grouped-gemm', () => true),
  fused: setting('--moe-permute-fusion', () => true),
  // Expert biases would be lost in fewer bits.
  routerType: setting(routerType, ({ router, run }) => router?.bias && !isSentDirectly(run) && 'fp32'),
})

/** How experts lie on ranks, and how tokens get there. */
export const dispatchSettings = part(dispatchOf, {
  expertRanks: setting('--expert-model-parallel-size', ({ ranks }) => ranks, counted(1)),
  expertTensor: setting('--expert-tensor-parallel-size', ({ tensor }) => tensor, whole),
  dispatcher: setting('--moe-token-dispatcher-type', ({ dispatcher }) => dispatcher, word),
  backend: setting('--moe-flex-dispatcher-backend', ({ backend }) => backend),
  routerType: setting(routerType, ({ backend }) => backend && 'fp32'),
})

type Experts = NonNullable<ReturnType<typeof expertsOf>>

function expertsOf(run: Run) {
  const { experts, details } = run.model
  const router = details?.router ?? null
  return experts && { ...experts, run, router, groups: router ? router.groups : groupsOnNodes(run) }
}

/** A softmax over a single expert is 1 whatever its score, so it has to come before the choice. */
function isBeforeChoice({ activeExperts, router }: Experts): boolean {
  return router?.beforeChoice || (activeExperts === 1 && isSoftmax(router))
}

function isSoftmax(router: Router | null): boolean {
  return router === null || router.score === 'softmax'
}

/** Without known groups of the model: one for each node that its experts lie on. */
function groupsOnNodes(run: Run): Router['groups'] {
  const limited = routingGroups(run)
  return limited && { of: limited.groups, kept: limited.limit }
}

export function megatronExpertNotes(run: Run): readonly string[] {
  const rest = compact(biasNote(run), foldingNote(run, 'Megatron-LM'))
  if (!isSentDirectly(run)) return compact(copiesNote(run, 'Megatron-LM'), rest)
  return [
    ...rest,
    `Megatron-LM: the flex dispatcher needs ${backends[backendOf(run)]} installed, on Hopper or later; alltoall does not, but sends a token once for each of its experts, not once for each chip.`,
  ]
}

function biasNote({ model }: Run): string | null {
  if (!model.experts || !model.biases || model.details) return null
  return 'Megatron-LM: biases are on, as the model has them; attention sinks, as gpt-oss has them, take --softmax-type learnable, and its activation flags of its own.'
}

function layersOf(run: Run): string | null {
  const { experts, layerPattern } = run.model
  const pattern = expertPattern(run)
  if (!experts || layerPattern !== undefined || !pattern.includes(0)) return null
  const { denseLayers, every } = experts
  const block = every === 1 ? '[1]' : `([0]*${every - 1}+[1])`
  const blocks = Math.floor((pattern.length - denseLayers) / every)
  const rest = pattern.length - denseLayers - blocks * every
  const parts = [[denseLayers, '[0]'] as const, [blocks, block] as const, [rest, '[0]'] as const]
  const written = parts.filter(([times]) => times > 0).map(([times, part]) => `${part}*${times}`)
  return written.join('+')
}

/** What each backend of the flex dispatcher is a part of (Megatron-LM core_v0.19.0, fused_a2a.py; deepseek-ai/DeepEP). */
const backends = { deepep: 'DeepEP', hybridep: 'HybridEP (the branch hybrid-ep of DeepEP)' } as const

/**
 * NVLink over more chips than a host has is what hybridep is for, however few of them a job has: two hosts of GB200 are joined by it. Experts that are
 * padded to a capacity of their ranks, for a graph of the whole step, are its alone (transformer_config.py, line 1694).
 */
export function backendOf({ problem }: Pick<MeshRun, 'problem'>): keyof typeof backends {
  const { cluster, assumptions } = problem
  const { graphs } = expertRecipeRow(assumptions.expertRecipe)
  return graphs === 'step' || joinsHosts(cluster) ? 'hybridep' : 'deepep'
}

function dispatchOf(run: Run) {
  if (!run.model.experts) return null
  const { ranks, tensor } = expertRanks(run)
  const backend = isSentDirectly(run) ? backendOf(run) : null
  return { ranks, tensor, backend, dispatcher: backend ? 'flex' : ranks === 1 ? 'allgather' : 'alltoall' }
}

/** The flex dispatcher sends one copy of a token to each chip. */
export const megatronDispatch: TokenDispatch = {
  hasKernels: ({ precision, cluster }) => precision.weights !== 'fp32' && hasDeepEp(cluster),
  usesKernels: isSentDirectly,
}

export function isSentDirectly(run: MeshRun): boolean {
  const { problem } = run
  const mayBe = problem.assumptions.hierarchicalDispatch && megatronDispatch.hasKernels(problem)
  return mayBe && expertRanks(run).ranks > 1
}
