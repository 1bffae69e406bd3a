/**
 * torchtitan's keys for experts, which it distributes over ranks that shard data. It also splits them over tensor like
 * an MLP if told so; else tensor ranks are among those that they are spread over. DeepEP, for NVIDIA's GPUs, sends one copy of a token to each chip,
 * but not with experts split over tensor: in the last release its DeepSeek model alone has it, on main all models with experts
 * (moe_comm_backend). Source: as config.ts, and v0.2.2, torchtitan/models/{deepseek_v3,qwen3}/infra/parallelize.py; main, torchtitan/models/qwen3/__init__.py.
 */

import { compact } from '../../compact.ts'
import { hasDeepEp } from '../../hardware/vendor.ts'
import { copiesNote, expertRanks, foldingNote, type TokenDispatch } from '../run/experts.ts'
import type { Run } from '../run/run.ts'
import { configOnMain, isNamed } from './on-main.ts'
import type { TomlValue } from './toml.ts'

export const torchtitanDispatch: TokenDispatch = {
  hasKernels: ({ model, precision, cluster }) =>
    precision.compute === 'bf16' && hasDeepEp(cluster) && (model.attention.latent !== null || isNamed(model)),
  usesKernels: (run) => releaseHasIt(run) || mainHasIt(run),
}

export function torchtitanExperts(run: Run): Readonly<Record<string, TomlValue>> {
  const { ranks, tensor } = expertRanks(run)
  if (ranks === 1) return {}
  return {
    expert_parallel_degree: ranks,
    expert_tensor_parallel_degree: tensor,
    expert_parallel_comm_backend: releaseHasIt(run) ? 'deepep' : 'standard',
  }
}

export function torchtitanExpertNotes(run: Run): readonly string[] {
  return compact(dispatchNotes(run), foldingNote(run, 'torchtitan'))
}

function dispatchNotes(run: Run): readonly string[] {
  if (!torchtitanDispatch.usesKernels(run)) return compact(copiesNote(run, 'torchtitan'))
  return compact(
    'torchtitan: its DeepEP dispatch needs DeepEP installed.',
    !releaseHasIt(run) &&
      `torchtitan: the command is for main, which has DeepEP for ${run.model.name}; its last release, which reads the TOML, has not and sends a token once for each of its experts.`,
  )
}

function releaseHasIt(run: Run): boolean {
  return run.model.attention.latent !== null && mayHaveIt(run)
}

function mainHasIt(run: Run): boolean {
  return mayHaveIt(run) && configOnMain(run) !== null
}

function mayHaveIt(run: Run): boolean {
  const { mesh, problem } = run
  const able = problem.assumptions.hierarchicalDispatch && torchtitanDispatch.hasKernels(problem)
  return able && mesh.tensor === 1 && expertRanks(run).ranks > 1
}
