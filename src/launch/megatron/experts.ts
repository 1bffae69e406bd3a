/**
 * Megatron-LM's flags for experts. Its dispatchers:
 *
 *   allgather   gathers tokens over tensor, experts are on all ranks: without an expert axis nothing is sent
 *   flex        DeepEP, or HybridEP in NVLink domains of more than 8, on GPUs of NVIDIA: sends one copy to each chip,
 *               as plans assume
 *   alltoall    NCCL: sends one copy to each expert
 *
 * Experts are split over tensor like an MLP, or tensor ranks have whole ones: an expert tensor parallel size of 1. Layers with experts are written as a pattern, because for a number n
 * Megatron-LM gives experts to the first of each n layers, plans to the last. It has no biases with shared experts or
 * with experts split over tensor, and no softmax after the choice if only one expert is chosen. Source: as flags.ts,
 * and docs/user-guide/features/moe.md, megatron/core/parallel_state.py,
 * megatron/core/transformer/moe/{token_dispatcher,shared_experts}.py, megatron/core/models/gpt/gpt_layer_specs.py.
 */

import { compact } from '../../compact.ts'
import type { Router } from '../../model/details.ts'
import { copiesNote, expertPattern, expertRanks, foldingNote, routingGroups } from '../run/experts.ts'
import type { Run } from '../run/run.ts'
import { innermostUnit } from '../run/units.ts'
import type { Word } from '../start.ts'
import { hasDeepEp } from '../vendor.ts'
import { routerFlags } from './details.ts'

interface ExpertFlags {
  /** Options for the experts of the model; `mesh` has those for their distribution. */
  readonly model: readonly Word[]
  readonly mesh: readonly Word[]
}

export function megatronExperts(run: Run): ExpertFlags {
  const { experts } = run.model
  if (!experts) return { model: [], mesh: [] }
  const { activeExperts, sharedExperts, dFfExpert, latentWidth } = experts
  const router = run.model.details?.router ?? null
  const sent = dispatcher(run)
  const { ranks, tensor } = expertRanks(run)
  // A softmax over a single expert is 1 whatever its score, so it has to come before the choice.
  const scored = router !== null && (router.beforeChoice || router.score !== 'softmax')
  const groups = router ? router.groups : groupsOnNodes(run)
  const model = compact(
    ['--num-experts', experts.experts, '--moe-router-topk', activeExperts],
    ['--moe-ffn-hidden-size', dFfExpert],
    latentWidth !== undefined && ['--moe-latent-size', latentWidth],
    layerFlags(run),
    sharedExperts > 0 && ['--moe-shared-expert-intermediate-size', sharedExperts * dFfExpert],
    groups && ['--moe-router-num-groups', groups.of, '--moe-router-group-topk', groups.kept],
    activeExperts === 1 && !scored && '--moe-router-pre-softmax',
    routerFlags(run.model),
    ['--moe-grouped-gemm', '--moe-permute-fusion'],
    // Expert biases would be lost in fewer bits.
    router?.bias && !sent.includes(routerType) && [routerType, 'fp32'],
  )
  const mesh = [
    ...['--expert-model-parallel-size', ranks],
    ...['--expert-tensor-parallel-size', tensor],
    ...sent,
  ]
  return { model, mesh }
}

/** Without known groups of the model: one for each node that its experts lie on. */
function groupsOnNodes(run: Run): Router['groups'] {
  const limited = routingGroups(run)
  return limited && { of: limited.groups, kept: limited.limit }
}

export function megatronExpertNotes(run: Run): readonly string[] {
  const [, kind] = dispatcher(run)
  const rest = compact(biasNote(run), foldingNote(run, 'Megatron-LM'))
  if (kind !== 'flex') return compact(copiesNote(run, 'Megatron-LM'), rest)
  return [
    ...rest,
    'Megatron-LM: the flex dispatcher needs DeepEP installed, on Hopper or later; alltoall does not, but sends a token once for each of its experts, not once for each chip.',
  ]
}

function biasNote({ model }: Run): string | null {
  if (!model.experts || !model.biases || model.details) return null
  return 'Megatron-LM: biases are on, as the model has them; attention sinks, as gpt-oss has them, take --softmax-type learnable, and its activation flags of its own.'
}

function layerFlags(run: Run): readonly Word[] {
  const { experts, layerPattern } = run.model
  const pattern = expertPattern(run)
  if (!experts || layerPattern !== undefined || !pattern.includes(0)) return []
  const { denseLayers, every } = experts
  const block = every === 1 ? '[1]' : `([0]*${every - 1}+[1])`
  const blocks = Math.floor((pattern.length - denseLayers) / every)
  const rest = pattern.length - denseLayers - blocks * every
  const parts = [[denseLayers, '[0]'] as const, [blocks, block] as const, [rest, '[0]'] as const]
  const written = parts.filter(([times]) => times > 0).map(([times, part]) => `${part}*${times}`)
  return ['--moe-layer-freq', written.join('+')]
}

function dispatcher(run: Run): readonly Word[] {
  const { assumptions, precision, cluster } = run.problem
  const flag = '--moe-token-dispatcher-type'
  if (expertRanks(run).ranks === 1) return [flag, 'allgather']
  const direct = assumptions.hierarchicalDispatch && precision.weights !== 'fp32' && hasDeepEp(cluster)
  if (!direct) return [flag, 'alltoall']
  const backend = innermostUnit(cluster) > 8 ? 'hybridep' : 'deepep'
  return [flag, 'flex', '--moe-flex-dispatcher-backend', backend, routerType, 'fp32']
}

const routerType = '--moe-router-dtype'
