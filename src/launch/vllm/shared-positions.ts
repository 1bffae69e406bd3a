/**
 * What `--decode-context-parallel-size` shares out: the positions of caches, among so many ranks of tensor, which it has to divide. Source:
 * vllm-project/vllm 99d7eb5, vllm/config/parallel.py (decode_context_parallel_size).
 */
const option = '--decode-context-parallel-size'

export function sharersFault(sharers: number, tensor: number): string | null {
  return tensor % sharers === 0
    ? null
    : `${option} ${sharers} has to divide --tensor-parallel-size ${tensor}, whose ranks it shares positions out among`
}

/** A plan shares them out among all ranks or none. */
export function sharersNote(sharers: number, tensor: number): string | null {
  return sharers > 1 && sharers < tensor && tensor % sharers === 0
    ? `${option} ${sharers} is counted as if all ${tensor} ranks of tensor shared positions out`
    : null
}
