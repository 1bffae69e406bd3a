/**
 * Mixers that carry a state of fixed size through a sequence in place of keys and values, a row each. K heads of keys of width k (groups, in
 * Mamba-2) and N heads of values of width v; the state of a head is a matrix k x v.
 *
 *   projected    columns that the input is projected to and that heads share out: queries, keys, values, gates, decays
 *   rank, raised two low ranks, each r wide and whole on every chip, that further columns (decays and gates of each channel) are made of
 *   convolved    channels of the short convolution before the recurrence
 *   vectors      decays and their offsets, and the norm of the result: parameters that no matmul meets
 *
 * Trained and in prefill, chunks of C positions are multiplied out, and the state goes from chunk to chunk. A chunk is a chain of kernels
 * that meet in HBM: `streamed` counts the elements of 16 bits that they read and write for one position, `streamedBackward` those of the chain that
 * makes gradients (twice as many, where its kernels were not counted), `kept` those of the chain's own inputs that it keeps for that, beside what was
 * projected and the result.
 *
 *   gated delta net   per head and position  3·k·v + C·(3·k + 2·v) multiply-adds: with the state W·S, Q·S and Kᵀ·V', in the chunk K·Kᵀ,
 *                     T·K, T·V, Q·Kᵀ and A·V'
 *   streamed          7·k + 6·v + 6·C + 2·k·v/C of a head: K·Kᵀ, its inverse, W and U, states, results; and what the convolution, the
 *                     norms of queries and keys, and their copies for each head of values read and write
 *
 *   KDA               the same products; decays are of each channel of a key, in fp32, so that its chain reads 8·k more of a head, keeps 2·k of
 *                     decays, and two chunk matrices
 *
 *   Mamba-2           chunks of C = 128; per head 2·k·v + C·v multiply-adds (states written and read, the chunk's values weighed), and C·k per
 *                     group of heads that have keys in common (C·Bᵀ). Its vectors are three numbers a head, biases of the convolution and
 *                     the norm of the result, of the width of all heads
 *   streamed          6·v + 6·k·v/C + 10 of a head: values twice, results, the norm's three; states in fp32 written, passed on and read; steps
 *                     and decays in fp32. 4·k + 4·C of a group, and twice what the convolution meets
 *   kept              what was projected and the result: the backward pass runs convolution and chunks again
 *   backward          20·v + 17·k·v/C + 80 of a head: values and the result's gradient seven times each, the result, z and its gradient, the norm's
 *                     three; states made again and passed on in fp32, their gradients too, both handed on in 16 bits to the three products that read
 *                     them; steps, decays and their gradients in fp32, summed by kernels of PyTorch. 18·k + 14·C of a group, five times what the
 *                     convolution meets. In all three times what the forward pass streams
 *
 * Sources: Yang et al., "Gated Delta Networks" (arXiv 2412.06464), section 3; flash-linear-attention, ops/gated_delta_rule/chunk.py,
 * chunks of 64, whose forward pass saves q, k, v and the inverse A; Megatron-LM @d98e8a64dd, core/ssm/gated_delta_net: it projects to q, k,
 * v, z, beta and alpha at once, and copies q and k to the heads of values before the kernel. Of KDA: Kimi Linear (arXiv 2510.26692), section 3;
 * flash-linear-attention, layers/kda.py and ops/kda/chunk.py, which runs the kernels of the gated delta net for inverse, W, U and states.
 * Of Mamba-2: Dao and Gu, "Transformers are SSMs" (arXiv 2405.21060), section 6; state-spaces/mamba, ops/triton/ssd_combined.py
 * (mamba_split_conv1d_scan_combined, whose backward pass has the projected input and the result saved); Megatron-LM @d98e8a64dd,
 * core/ssm/mamba_mixer.py: it projects to z, x, B, C and dt at once, and each tensor rank has whole groups.
 */
export interface MixerDims {
  /** Heads of queries and keys, and their width. */
  readonly keyHeads: number
  readonly keyDim: number
  /** Heads of values, a multiple of those of keys, and their width. */
  readonly heads: number
  readonly valueDim: number
  /** Positions that the short convolution meets. */
  readonly convolution: number
}

export interface MixerRow {
  readonly name: string
  readonly projected: (dims: MixerDims) => number
  readonly rank: (dims: MixerDims) => number
  readonly raised: (dims: MixerDims) => number
  readonly convolved: (dims: MixerDims) => number
  readonly vectors: (dims: MixerDims) => number
  readonly multiplyAdds: (dims: MixerDims) => number
  readonly kept: (dims: MixerDims) => number
  readonly streamed: (dims: MixerDims) => number
  readonly streamedBackward: (dims: MixerDims) => number
}

const chunk = 64

const queriesAndKeys = ({ keyHeads, keyDim }: MixerDims) => 2 * keyHeads * keyDim
const values = ({ heads, valueDim }: MixerDims) => heads * valueDim
const copied = ({ heads, keyDim }: MixerDims) => 2 * heads * keyDim

function gatedChain(dims: MixerDims): number {
  const { heads, keyDim, valueDim } = dims
  const chain = 7 * keyDim + 6 * valueDim + 6 * chunk + (2 * keyDim * valueDim) / chunk
  const convolution = 2 * (queriesAndKeys(dims) + values(dims))
  return heads * chain + convolution + 3 * queriesAndKeys(dims) + copied(dims) + 3 * values(dims)
}

const kimiChain = (dims: MixerDims) => gatedChain(dims) + 8 * dims.heads * dims.keyDim

const gatedDeltaNet = {
  name: 'gated-delta-net',
  projected: (dims) => queriesAndKeys(dims) + 2 * values(dims) + 2 * dims.heads,
  rank: () => 0,
  raised: () => 0,
  convolved: (dims) => queriesAndKeys(dims) + values(dims),
  vectors: ({ heads, valueDim }) => 2 * heads + valueDim,
  multiplyAdds: ({ heads, keyDim, valueDim }) =>
    heads * (3 * keyDim * valueDim + chunk * (3 * keyDim + 2 * valueDim)),
  kept: (dims) => {
    const before = dims.heads > dims.keyHeads ? queriesAndKeys(dims) : 0
    return before + copied(dims) + values(dims) + chunk * dims.heads
  },
  streamed: gatedChain,
  streamedBackward: (dims) => 2 * gatedChain(dims),
} as const satisfies MixerRow

const kimiDeltaAttention = {
  ...gatedDeltaNet,
  name: 'kda',
  projected: (dims) => queriesAndKeys(dims) + values(dims) + dims.heads,
  rank: ({ valueDim }) => valueDim,
  raised: (dims) => dims.heads * dims.keyDim + values(dims),
  vectors: ({ heads, keyDim, valueDim }) => heads + heads * keyDim + valueDim,
  kept: (dims) => gatedDeltaNet.kept(dims) + dims.heads * (2 * dims.keyDim + chunk),
  streamed: kimiChain,
  streamedBackward: (dims) => 2 * kimiChain(dims),
} as const satisfies MixerRow

const mambaChunk = 128

const mamba2 = {
  name: 'mamba-2',
  projected: (dims) => queriesAndKeys(dims) + 2 * values(dims) + dims.heads,
  rank: () => 0,
  raised: () => 0,
  convolved: (dims) => queriesAndKeys(dims) + values(dims),
  vectors: (dims) => 3 * dims.heads + queriesAndKeys(dims) + 2 * values(dims),
  multiplyAdds: ({ keyHeads, keyDim, heads, valueDim }) =>
    heads * (2 * keyDim * valueDim + mambaChunk * valueDim) + keyHeads * mambaChunk * keyDim,
  kept: () => 0,
  streamed: (dims) => {
    const { keyHeads, keyDim, heads, valueDim } = dims
    const ofHead = 6 * valueDim + (6 * keyDim * valueDim) / mambaChunk + 10
    const convolution = 2 * (queriesAndKeys(dims) + values(dims))
    return heads * ofHead + keyHeads * (4 * keyDim + 4 * mambaChunk) + convolution
  },
  streamedBackward: (dims) => {
    const { keyHeads, keyDim, heads, valueDim } = dims
    const ofHead = 20 * valueDim + (17 * keyDim * valueDim) / mambaChunk + 80
    const convolution = 5 * (queriesAndKeys(dims) + values(dims))
    return heads * ofHead + keyHeads * (18 * keyDim + 14 * mambaChunk) + convolution
  },
} as const satisfies MixerRow

export const mixerRows = [gatedDeltaNet, kimiDeltaAttention, mamba2] as const satisfies readonly MixerRow[]

export type RecurrentMixer = (typeof mixerRows)[number]['name']

export const recurrentMixers: readonly RecurrentMixer[] = mixerRows.map(({ name }) => name)
