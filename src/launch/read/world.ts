/** How many chips a launcher starts: PyTorch's nodes times processes; null where it leaves one of them to somebody else. */
import type { Options } from './options.ts'

export function worldOf(options: Options): number | null {
  const nodes = options.whole('--nnodes', '--num-nodes')
  const names = ['--nproc-per-node', '--nproc_per_node']
  // torchrun counts for itself under these words.
  const each = /^(auto|gpu|cpu)$/.test(options.text(...names) ?? '') ? null : options.whole(...names)
  return nodes === null || each === null ? null : nodes * each
}
