/**
 * torchtitan's keys for experts, which it distributes over ranks that shard data. It also splits them over tensor like
 * an MLP if told so; else tensor ranks are among those that they are spread over. DeepEP, for NVIDIA's GPUs, sends one copy of a token to each chip; only its DeepSeek
 * model has it, and not with experts split over tensor. Source: as config.ts, and
 * torchtitan/models/deepseek_v3/infra/parallelize.py.
 */

import { compact } from '../../compact.ts'
import { copiesNote, expertRanks, foldingNote } from '../run/experts.ts'
import type { Run } from '../run/run.ts'
import { hasDeepEp } from '../vendor.ts'
import type { TomlValue } from './toml.ts'

export function torchtitanExperts(run: Run): Readonly<Record<string, TomlValue>> {
  const { ranks, tensor } = expertRanks(run)
  if (ranks === 1) return {}
  return {
    expert_parallel_degree: ranks,
    expert_tensor_parallel_degree: tensor,
    expert_parallel_comm_backend: usesDeepEp(run) ? 'deepep' : 'standard',
  }
}

export function torchtitanExpertNotes(run: Run): readonly string[] {
  const deepEp = expertRanks(run).ranks > 1 ? ['torchtitan: its DeepEP dispatch needs DeepEP installed.'] : []
  return compact(usesDeepEp(run) ? deepEp : copiesNote(run, 'torchtitan'), foldingNote(run, 'torchtitan'))
}

function usesDeepEp({ model, mesh, problem }: Run): boolean {
  const { assumptions, precision, cluster } = problem
  const able = precision.compute === 'bf16' && hasDeepEp(cluster)
  return model.attention.latent !== null && mesh.tensor === 1 && assumptions.hierarchicalDispatch && able
}
