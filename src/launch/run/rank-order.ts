/**
 * Where the pipeline stands in the order of ranks on a switched network. Frameworks order ranks as tensor, context,
 * then replicas, with the pipeline outside of the replicas, or between context and replicas. Replicas that experts are
 * distributed over are always inside of it.
 */
import type { Group } from '../../hardware/network/group.ts'
import type { Run } from './run.ts'

export type PipelineRank = 'outside' | 'inside' | 'either'

export function pipelineRank({ mesh, placement }: Run): PipelineRank {
  if (mesh.pipeline === 1 || mesh.data * mesh.fsdp === 1) return 'either'
  const { pipeline, fsdp, data } = placement.groups
  return stride(pipeline) < Math.min(stride(fsdp), stride(data)) ? 'inside' : 'outside'
}

function stride(group: Group): number {
  const [span] = group.kind === 'switched' ? group.spans : []
  return span?.stride ?? Number.POSITIVE_INFINITY
}
