/** Number of chips that PyTorch's launcher starts: nodes times processes; null if one of them is not given. */
import type { Options } from './options.ts'

export function worldOf(options: Options): number | null {
  const nodes = options.whole('--nnodes', '--num-nodes')
  const names = ['--nproc-per-node', '--nproc_per_node']
  // With these words torchrun counts the devices itself.
  const each = /^(auto|gpu|cpu)$/.test(options.text(...names) ?? '') ? null : options.whole(...names)
  return nodes === null || each === null ? null : nodes * each
}

/** Tasks of a Slurm job, each of which is a rank if no launcher stands between. */
export function tasksOf(
  variables: ReadonlyMap<string, readonly string[]>,
  launcher: readonly string[],
): number | null {
  const starts = launcher.some((word) => /torchrun|torch\.distributed|accelerate|deepspeed/.test(word))
  const tasks = Number(variables.get('SLURM_NTASKS')?.[0])
  return starts || !(tasks >= 1) ? null : tasks
}
