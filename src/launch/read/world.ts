/** How many chips a launch has. */
import type { Options } from './options.ts'
import { slurmOptions } from './shell/slurm.ts'

/** Names of torchrun, and of DeepSpeed's launcher with underscores. */
const nodesSaid = ['--num_nodes', '--nnodes', '--num-nodes'] as const

/** Number of chips that PyTorch's launcher starts: nodes times processes; null if one of them is not given. */
export function worldOf(options: Options): number | null {
  const nodes = nodesOf(options)
  const each = processesOf(options)
  return nodes === null || nodes.least !== nodes.most || each === null ? null : nodes.least * each
}

/** Nodes that PyTorch's launcher waits for and takes, of which a range (`1:4`) says the least and the most. */
export interface Nodes {
  readonly least: number
  readonly most: number
}

/** Null where it is not told. */
export function nodesOf(options: Options): Nodes | null {
  const [, least, most] = /^(\d{1,9}):(\d{1,9})$/.exec(options.text(...nodesSaid) ?? '') ?? []
  if (least !== undefined) return { least: Number(least), most: Number(most) }
  const nodes = options.whole(...nodesSaid)
  return nodes === null ? null : { least: nodes, most: nodes }
}

/** Processes that it starts on each node; null where it counts the devices itself, or is not told. */
export function processesOf(options: Options): number | null {
  const names = ['--num_gpus', '--nproc-per-node', '--nproc_per_node']
  // With these words torchrun counts the devices itself.
  return /^(auto|gpu|cpu)$/.test(options.text(...names) ?? '') ? null : options.whole(...names)
}

/** Processes of the one node that PyTorch's launcher starts where nothing says how many (torchrun, `--nnodes` 1:1). */
export function ofOneNode(options: Options): number | null {
  const said = options.values(...nodesSaid) !== null
  return said ? null : processesOf(options)
}

/** Tasks of a Slurm job, each of which is a rank if no launcher stands between. */
export function tasksOf(
  variables: ReadonlyMap<string, readonly string[]>,
  launcher: readonly string[],
): number | null {
  return startsRanks(launcher) ? null : slurmTasks(variables, launcher)
}

/** Whether what is started in a task starts ranks in its turn. */
function startsRanks(launcher: readonly string[]): boolean {
  return launcher.some((word) => /torchrun|torch\.distributed|accelerate|deepspeed/.test(word))
}

/** Tasks in which an srun starts what follows it; options of its own count before those of the job. */
export function slurmTasks(
  variables: ReadonlyMap<string, readonly string[]>,
  launcher: readonly string[],
): number | null {
  const own = new Map(launcher.includes('srun') ? slurmOptions(launcher) : [])
  const [all, nodes, each] = ['SLURM_NTASKS', 'SLURM_NNODES', 'SLURM_NTASKS_PER_NODE'].map((name) =>
    Number(own.get(name)),
  )
  const of = (name: string, told?: number) => told || Number(variables.get(name)?.[0])
  const counted = nodes || each ? of('SLURM_NNODES', nodes) * of('SLURM_NTASKS_PER_NODE', each) : Number.NaN
  const tasks = all || counted || of('SLURM_NTASKS')
  return tasks >= 1 ? tasks : null
}

/**
 * Processes that MPI's launcher starts, each of which is a rank; null where it does not say how many, or starts torchrun in each. Source:
 * docs.open-mpi.org, mpirun(1): `-np`, `-n`, `--n` and `-c` are one option.
 */
export function mpiRanks(launcher: readonly string[]): number | null {
  return startsRanks(launcher) ? null : mpiProcesses(launcher)
}

/** The same, whatever it starts in each. */
export function mpiProcesses(launcher: readonly string[]): number | null {
  const start = launcher.findIndex((word) => mpiLauncher.test(word))
  const count = launcher.findIndex((word, at) => at > start && /^(--?np?|-c)$/.test(word))
  return start < 0 || count < 0 ? null : (countOf(launcher[count + 1]) ?? null)
}

const mpiLauncher = /(^|\/)(mpirun|mpiexec|orterun)$/

/** Undefined for words (`auto`), ranges (`1:4`) and what the text does not set. */
export function countOf(text: string | null | undefined): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : undefined
}

/** The fault of a launch that does not say its chips, with the options that could have said them. */
export function chipsUnsaid(options = ''): string {
  const request = 'hardware.chips'
  const line = '(--chips on the command line)'
  return options === ''
    ? `how many GPUs there are is said by ${request} alone ${line}`
    : `how many GPUs there are is said neither by ${request} ${line} nor by ${options}`
}
