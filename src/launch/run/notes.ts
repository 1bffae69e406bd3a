import { hostCount, hostSize, lastHostChips } from './hosts.ts'
import type { Run } from './run.ts'

/** Where a release has no option for a loss in pieces: a kernel that is put in its place, such as Liger's, does it. */
export function wholeLossNotes({ problem }: Run, framework: string): readonly string[] {
  const { lossChunks } = problem.assumptions
  if (lossChunks === 1) return []
  return [
    `${framework}: this release computes logits whole, and the plan counts them in ${lossChunks} pieces.`,
  ]
}

/** Of whom torchrun is to start: as many ranks as the plan has, and no more. */
export function lastHostNotes({ problem: { cluster } }: Run): readonly string[] {
  const last = lastHostChips(cluster)
  if (last === null) return []
  const [hosts, each] = [hostCount(cluster), hostSize(cluster)]
  return [
    `torchrun starts a rank for each GPU that it sees: give the job ${hosts - 1} hosts of ${each} and ${last} GPUs of the last (CUDA_VISIBLE_DEVICES), or there are more ranks than the plan has.`,
  ]
}
