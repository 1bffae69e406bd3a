/**
 * On which nodes, and how many times on each, a job of Slurm starts torchrun. It is one task of a node, and starts the ranks of that node
 * itself: a second one there, or one on the first node alone, is not what its rendezvous is told of. Source: srun(1), sbatch(1): srun starts a
 * command in each task of the job, and a batch script runs on the first node alone.
 */
import { counted } from '../../plan/explain/figures.ts'
import type { Script } from './shell/script.ts'
import { countOf, mpiProcesses, slurmTasks } from './world.ts'

/** More tasks than nodes that torchrun is told of; null where neither srun nor mpirun starts it, or nobody says how many. The last of the commands starts it. */
export function crowdedTasks(
  commands: Script['commands'],
  variables: Script['variables'],
  nodes: number | undefined,
): string | null {
  const start = commands.findLast((words) => words.some((word) => senders.test(word)) && words.some(startsIt))
  if (!start || nodes === undefined) return null
  const own = start.slice(0, start.findIndex(startsIt))
  const bySlurm = own.includes('srun')
  const tasks = bySlurm ? slurmTasks(variables, own.slice(own.indexOf('srun'))) : mpiProcesses(own)
  if (tasks === null || tasks <= nodes) return null
  return `${bySlurm ? 'srun' : 'mpirun'} starts torchrun in each of ${counted(tasks, 'task')}, and it is told of ${counted(nodes, 'node')} (--nnodes): on each it starts the ranks itself, so that there is one task a node${bySlurm ? ' (--ntasks-per-node=1)' : ''}`
}

/** A torchrun of several nodes that the batch script starts where it runs itself. */
export function lonelyNode(
  commands: Script['commands'],
  variables: Script['variables'],
  nodes: number | undefined,
): string | null {
  const all = countOf(variables.get('SLURM_NNODES')?.[0])
  if (all === undefined || nodes === undefined || Math.min(all, nodes) < 2) return null
  if (commands.some((words) => words.some((word) => starters.test(word)))) return null
  return `the job has ${counted(all, 'node')}, and nothing in the script starts torchrun on those behind the first, where a batch script runs: it waits for them unless something else does (srun would)`
}

const senders = /^(\/.*\/)?(srun|mpirun|mpiexec|orterun)$/

function startsIt(word: string): boolean {
  return /torchrun|torch\.distributed\.(run|launch)/.test(word)
}

/** Programs that start others on several hosts. */
const starters = /(^|[\s/])(srun|mpirun|mpiexec|pdsh|clush|ssh|parallel-ssh|pssh|parallel|prun|blaunch)(\s|$)/
