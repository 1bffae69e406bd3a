/**
 * The variables that Slurm sets for a job, as far as the `#SBATCH` lines of its script say them, or the options of the sbatch or srun that
 * starts it. Source: sbatch(1), "OUTPUT ENVIRONMENT VARIABLES"; gpus may have a type before their number (`--gres=gpu:h100:8`).
 */
import { ownValue } from '../../../fields.ts'

/** For each option the variables that it sets. */
const set: Readonly<Record<string, readonly string[] | undefined>> = {
  '--nodes': ['SLURM_NNODES', 'SLURM_JOB_NUM_NODES'],
  '-N': ['SLURM_NNODES', 'SLURM_JOB_NUM_NODES'],
  '--ntasks-per-node': ['SLURM_NTASKS_PER_NODE'],
  '--ntasks': ['SLURM_NTASKS'],
  '-n': ['SLURM_NTASKS'],
  '--gpus-per-node': ['SLURM_GPUS_ON_NODE', 'SLURM_GPUS_PER_NODE'],
  '--gres': ['SLURM_GPUS_ON_NODE', 'SLURM_GPUS_PER_NODE'],
}

type Variable = readonly [name: string, value: string]

export function slurmOptions(words: readonly string[]): readonly Variable[] {
  return words.flatMap((word, at) => {
    const [, name = '', own] = /^(--[\w-]+|-[a-zA-Z])(?:=?(.+))?$/.exec(word) ?? []
    const [, count] = /^(?:gpu:)?(?:[\w-]+:)?(\d+)$/.exec(own ?? words[at + 1] ?? '') ?? []
    const names = ownValue(set, name)
    return count === undefined ? [] : (names ?? []).map((variable) => [variable, count] as const)
  })
}

/** `told` is what is set already, which the lines do not change: options of sbatch count before them. */
export function slurmVariables(
  text: string,
  told: (name: string) => string | undefined = () => undefined,
): ReadonlyMap<string, string> {
  // Behind the first command they are comments.
  const [head = ''] = /^(?:[ \t]*(?:#.*)?\n)*(?:#.*)?/.exec(text) ?? []
  const lines = head.split('\n').flatMap((line) => {
    const [, said] = /^#SBATCH\s+(\S.*)$/.exec(line.slice(0, 1000)) ?? []
    return said === undefined ? [] : slurmOptions(said.split(/\s+/))
  })
  const found = new Map(lines.filter(([name]) => told(name) === undefined))
  return withTasks(found, told)
}

function withTasks(
  found: Map<string, string>,
  told: (name: string) => string | undefined,
): ReadonlyMap<string, string> {
  const value = (name: string) => found.get(name) ?? told(name)
  const [nodes, each] = [value('SLURM_NNODES'), value('SLURM_NTASKS_PER_NODE')]
  const isNew = found.has('SLURM_NNODES') || found.has('SLURM_NTASKS_PER_NODE')
  if (isNew && value('SLURM_NTASKS') === undefined && nodes && each)
    found.set('SLURM_NTASKS', `${Number(nodes) * Number(each)}`)
  return found
}
