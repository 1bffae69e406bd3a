/** Nodes and processes as a job of Slurm is told of them whose tasks are the ranks, with no launcher of PyTorch's between. Source: sbatch(1). */
import { isNamedIn } from './file-spellings.ts'

/** Options of Slurm by those of torchrun. */
const options: Readonly<Record<string, string>> = {
  '--nnodes': '--nodes',
  '--nproc-per-node': '--ntasks-per-node',
}

/** Settings of torchrun as a file of Slurm has them; null where it would count the processes itself. */
export function inSlurm(
  text: string,
  torchrun: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> | null {
  const counts = Object.keys(options).map((name) => Number(torchrun.get(name)?.split(' ')[1]))
  if (!counts.every((count) => count >= 1)) return null
  // What a script does not say in lines of its own its sbatch or srun is told.
  const line = /^#SBATCH\s/m.test(text) ? '#SBATCH ' : ''
  const said = Object.entries(options).map(
    ([name, own], at) => [name, `${line}${own}=${counts[at]}`] as const,
  )
  const all = ['--ntasks', '-n'].some((name) => isSaid(text, name))
  const [nodes = 1, each = 1] = counts
  return new Map([...said, ...(all ? [['--ntasks', `${line}--ntasks=${nodes * each}`] as const] : [])])
}

/** Short names by which a file has a setting. */
export function shortNamesIn(text: string, name: string): readonly string[] {
  const short = { '--nnodes': '-N', '--ntasks': '-n' }[name]
  return short !== undefined && isSaid(text, short) ? [short] : []
}

/** Slurm's lines are comments of the shell. */
function isSaid(text: string, name: string): boolean {
  return isNamedIn(text.replaceAll(/^#SBATCH(?=\s)/gm, ''), name)
}
