/** Degrees of torchtitan's axes; config.ts says what each ZeRO stage shards. */
import type { ContextLayout } from '../../sharding/tables/context-layouts.ts'
import type { LayoutRun, Run } from '../run/run.ts'
import { torchtitanExperts } from './experts.ts'
import type { TomlValue } from './toml.ts'

/** Its ring is named alltoall and passes keys on; ulysses is refused by a rule. */
export const torchtitanRotations: Readonly<Record<string, string>> = {
  gather: 'allgather',
  ring: 'alltoall',
} satisfies Partial<Record<ContextLayout, string>>

export function torchtitanDegrees(run: Run): Readonly<Record<string, TomlValue>> {
  const { mesh, zeroStage, replicas } = run
  const reshard = zeroStage === 3 ? 'always' : 'never'
  return {
    data_parallel_replicate_degree: replicas / shards(run),
    data_parallel_shard_degree: shards(run),
    ...(usesFsdp(run) ? { fsdp_reshard_after_forward: reshard } : {}),
    tensor_parallel_degree: mesh.tensor,
    context_parallel_degree: mesh.context,
    ...(mesh.context > 1
      ? { context_parallel_rotate_method: torchtitanRotations[run.contextLayout] ?? '' }
      : {}),
    pipeline_parallel_degree: mesh.pipeline,
    ...torchtitanExperts(run),
  }
}

function shards({ zeroStage, mesh, replicas }: LayoutRun): number {
  if (zeroStage === 0) return 1
  return zeroStage === 3 ? mesh.fsdp * mesh.expert : replicas
}

export function usesFsdp(run: LayoutRun): boolean {
  return shards(run) * run.mesh.context > 1
}
