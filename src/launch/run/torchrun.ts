/** The command of PyTorch's launcher, with ranks in the order of hosts: neighbours in a plan are then neighbours in a node. */
import { compact } from '../../compact.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { hostCount, hostSize, lastHostChips } from '../../hardware/cluster/hosts.ts'
import { firstHost, hostRank } from '../start.ts'

/** If the plan uses only part of the last host, one process is started for each GPU that the job is given on a host. */
export function torchrun(cluster: Cluster): string {
  const hosts = hostCount(cluster)
  const each = [
    'torchrun',
    '--nnodes',
    hosts,
    '--nproc-per-node',
    lastHostChips(cluster) ? 'gpu' : hostSize(cluster),
  ]
  const meeting = ['--node-rank', hostRank, '--master-addr', firstHost, '--master-port', 29500]
  return compact(each, hosts > 1 && meeting).join(' ')
}
