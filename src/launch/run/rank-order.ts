/**
 * Where the pipeline stands among the ranks of a switched network. Frameworks count ranks through tensor, then context,
 * then the replicas, and put the pipeline outside of these or between context and the replicas. Replicas that experts are
 * spread over are inside of it in any plan.
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
