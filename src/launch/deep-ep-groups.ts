/**
 * Groups of ranks among which DeepEP sends tokens to experts.
 *
 *   many   kernels for many tokens (normal, high throughput) are made for 2, 4 and 8 ranks of a node, and for some numbers of nodes of eight; others
 *          stop with "Unsupported number of EP ranks" or "Unsupported RDMA ranks"
 *   few    those for few tokens (low latency) take any number, but buffers are of fewer than eight ranks, or of whole nodes of eight
 *
 * A row for each release of DeepEP that software installs. Its elastic buffers of 2026 (deepep_v2) have no such lists. Source: deepseek-ai/DeepEP
 * 9af0e0d, d4f41e4 and dd758ca, launch.cuh (SWITCH_RANKS, SWITCH_RDMA_RANKS), buffer.py and buffers/legacy.py (get_dispatch_config), deep_ep.cpp and
 * legacy/buffer.hpp (num_ranks % NUM_MAX_NVL_PEERS).
 */

export type SendingKernels = 'many' | 'few'

const node = 8
const ofNode: readonly number[] = [2, 4, 8]

/** Numbers of nodes that kernels for many tokens are made for. */
const nodes = {
  /** sgl-project/sglang, docker/Dockerfile 004740a (DEEPEP_COMMIT 9af0e0d). */
  september2025: [2, 4, 8, 16, 18, 20],
  /** vllm-project/vllm, tools/ep_kernels/install_python_libraries.sh (DEEPEP_COMMIT_HASH 73b6ea4, and d4f41e4 since May 2026). */
  since: [2, 3, 4, 6, 8, 12, 16, 18, 20],
} as const

export type DeepEpRelease = keyof typeof nodes

export function sendsAmong(release: DeepEpRelease, kernels: SendingKernels, ranks: number): boolean {
  return kernels === 'few' ? ranks < node || ranks % node === 0 : groupsOf(release).includes(ranks)
}

/** Why it does not, to follow its name; null where it does. */
export function groupFault(release: DeepEpRelease, kernels: SendingKernels, ranks: number): string | null {
  if (sendsAmong(release, kernels, ranks)) return null
  const taken =
    kernels === 'few'
      ? `fewer than ${node} ranks or multiples of ${node}`
      : `${groupsOf(release).join(', ')} ranks`
  return `kernels for ${kernels} tokens send among ${taken}, not among ${ranks}`
}

function groupsOf(release: DeepEpRelease): readonly number[] {
  return [...ofNode, ...nodes[release].map((count) => count * node)]
}
