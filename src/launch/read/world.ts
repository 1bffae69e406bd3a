/** Number of chips that PyTorch's launcher starts: nodes times processes; null if one of them is not given. */
import type { Options } from './options.ts'

export function worldOf(options: Options): number | null {
  const nodes = options.whole('--nnodes', '--num-nodes')
  const names = ['--nproc-per-node', '--nproc_per_node']
  // With these words torchrun counts the devices itself.
  const each = /^(auto|gpu|cpu)$/.test(options.text(...names) ?? '') ? null : options.whole(...names)
  return nodes === null || each === null ? null : nodes * each
}
