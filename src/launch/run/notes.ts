import { hostCount, hostSize, lastHostChips } from '../../hardware/cluster/hosts.ts'
import type { Run } from './run.ts'

/** Notes that the job may use only part of the last host, as torchrun starts a rank for each GPU it sees. */
export function lastHostNote({ problem: { cluster } }: Run): string | null {
  const last = lastHostChips(cluster)
  if (last === null) return null
  const [hosts, each] = [hostCount(cluster), hostSize(cluster)]
  return `torchrun starts a rank for each GPU that it sees: give the job ${hosts - 1} hosts of ${each} and ${last} GPUs of the last (CUDA_VISIBLE_DEVICES), or there are more ranks than the plan has.`
}
