/** How many chips a launch has. */
import type { Options } from './options.ts'
import { slurmOptions } from './shell/slurm.ts'

/** Names of torchrun, and of DeepSpeed's launcher with underscores. */
const nodesSaid = ['--num_nodes', '--nnodes', '--num-nodes'] as const

/** Number of chips that PyTorch's launcher starts: nodes times processes; null if one of them is not given. */
export function worldOf(options: Options): number | null {
  const nodes = options.whole(...nodesSaid)
  const each = processesOf(options)
  return nodes === null || each === null ? null : nodes * each
}

function processesOf(options: Options): number | null {
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
  const starts = launcher.some((word) => /torchrun|torch\.distributed|accelerate|deepspeed/.test(word))
  // Options of its own srun count before those of the job.
  const own = new Map(launcher.includes('srun') ? slurmOptions(launcher) : [])
  const [all, nodes, each] = ['SLURM_NTASKS', 'SLURM_NNODES', 'SLURM_NTASKS_PER_NODE'].map((name) =>
    Number(own.get(name)),
  )
  const of = (name: string, told?: number) => told || Number(variables.get(name)?.[0])
  const counted = nodes || each ? of('SLURM_NNODES', nodes) * of('SLURM_NTASKS_PER_NODE', each) : Number.NaN
  const tasks = all || counted || of('SLURM_NTASKS')
  return starts || !(tasks >= 1) ? null : tasks
}

/** The fault of a launch that does not say its chips, with the options that could have said them. */
export function chipsUnsaid(options = ''): string {
  const request = 'hardware.chips'
  const line = '(--chips on the command line)'
  return options === ''
    ? `how many GPUs there are is said by ${request} alone ${line}`
    : `how many GPUs there are is said neither by ${request} ${line} nor by ${options}`
}
