/**
 * The variables that Slurm sets for a job, as far as the `#SBATCH` lines of its script say them. Source: sbatch(1), "OUTPUT ENVIRONMENT
 * VARIABLES"; gpus may have a type before their number (`--gres=gpu:h100:8`).
 */

/** Each option with the variables that it sets. */
const options: readonly (readonly [option: RegExp, variables: readonly string[]])[] = [
  [/^(?:--nodes[= ]|-N ?)(\d+)/, ['SLURM_NNODES', 'SLURM_JOB_NUM_NODES']],
  [/^--ntasks-per-node[= ](\d+)/, ['SLURM_NTASKS_PER_NODE']],
  [/^(?:--ntasks[= ]|-n ?)(\d+)/, ['SLURM_NTASKS']],
  [/^(?:--gpus-per-node[= ]|--gres[= ]gpu:)(?:[\w-]+:)?(\d+)/, ['SLURM_GPUS_ON_NODE', 'SLURM_GPUS_PER_NODE']],
]

export function slurmVariables(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, told] = /^#SBATCH\s+(\S.*)$/.exec(line.slice(0, 1000)) ?? []
    if (told === undefined) continue
    for (const [option, variables] of options) {
      const [, count] = option.exec(told) ?? []
      if (count !== undefined) for (const name of variables) found.set(name, count)
    }
  }
  const [nodes, each] = [found.get('SLURM_NNODES'), found.get('SLURM_NTASKS_PER_NODE')]
  if (!found.has('SLURM_NTASKS') && nodes && each)
    found.set('SLURM_NTASKS', `${Number(nodes) * Number(each)}`)
  return found
}
