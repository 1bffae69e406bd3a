/**
 * The mixers of a model's average layer as one table: of every n layers one attends, and the others have a recurrence (model/recurrence.ts).
 * Each array of a mixer has a further dimension s, the share of the layers that have it, so that bytes, FLOPs and states are those of the
 * mean layer. All layers take in one stream and give out one, so that these are gathered and reduced once. What moves inside a mixer
 * counts with the bytes of the mean, but with a latency in every layer.
 *
 *   Projected  [B, T, P]        queries, keys, values, gates and decays of all heads, side by side, where their positions are; some of
 *                               it made of two low ranks (Low), which each tensor chip has whole
 *   Channels   the same with heads over context in place of positions: an AllToAll
 *   Inputs     what the scan reads and keeps: queries and keys copied for each head of values, values, and chunk matrices
 *   Scanned    [B, T, v]        its result; Normed, weighed by a gate, and back at its positions (Mixed) by another AllToAll
 *   State      [B, v, k]        of inference: read and written by each pass, the same at any length, and of no position (Last: the
 *                               positions that the convolution goes on from)
 *
 * Heads are shared out over tensor and context, as by Megatron-LM @d98e8a64dd (core/ssm/gated_delta_net, `a2a_cp_to_hp`): a state has no
 * positions that context could share out.
 */
import { layerShare, shardedArray, table, weights } from '../array.ts'
import { besideEachOther, type Component, type Einsum, withArrays } from '../component.ts'
import { isStream } from '../roles.ts'
import { type CacheLayout, caches, type ProjectionLayout, projections } from './inference-sharding.ts'

/** Share of the layers that attend, and of those with a recurrence. */
const attendingShare = 'Sa'
const recurrentShare = 'Sr'

/** Both mixers of the average layer beside each other; attention alone where all layers attend. */
export function mixers(attention: Component, recurrence: Component | null): Component {
  if (!recurrence) return attention
  const parts = [ofShare(attention, attendingShare), ofShare(recurrence, recurrentShare)]
  return besideEachOther(attention.name, parts)
}

/** The component with a share of the layers as a dimension of all that is not the stream. */
function ofShare(component: Component, share: string): Component {
  const dimension = { label: layerShare, extent: share, axes: [] }
  return withArrays(component, (array) =>
    isStream(array.role) ? array : { ...array, dimensions: [...array.dimensions, dimension] },
  )
}

const through: readonly Einsum[] = [
  { out: 'Low', left: 'In', right: 'W_low', kind: 'matmul' },
  { out: 'Projected', left: 'Low', right: 'W_raise', kind: 'matmul' },
]

const before = (ranks: boolean): readonly Einsum[] => [
  { out: 'Projected', left: 'In', right: 'W_mix', kind: 'matmul' },
  ...(ranks ? through : []),
  { out: 'Channels', left: 'Projected', right: 'Projected', kind: 'reshard' },
  { out: 'Inputs', left: 'Channels', right: 'Channels', kind: 'elementwise' },
]

const after: readonly Einsum[] = [
  { out: 'Mixed', left: 'Normed', right: 'Normed', kind: 'reshard' },
  { out: 'Out', left: 'Mixed', right: 'W_mixed', kind: 'matmul' },
]

/** The recurrence under training layouts. */
export function recurrentMixer(stream: string, ranks: boolean): Component {
  const [here, channels] = ['B_RXE T_C', 'B_RXE T']
  return {
    name: 'attention',
    arrays: {
      ...table('activation', {
        In: stream,
        ...(ranks ? { Low: `${here} l:Rl` } : {}),
        Projected: `${here} Rv:Rp_YZ`,
        Channels: `${channels} Rv:Rp_YZC`,
        Inputs: `${channels} Rv:Rk_YZC`,
        Scanned: `${channels} Rv_YZC`,
        Normed: `${channels} Rv_YZC`,
        Mixed: `${here} Rv_YZ`,
        Out: stream,
      }),
      ...table('scores', { Steps: `${channels} Rv_YZC Rw` }),
      ...weights('attention', {
        ...{ W_mix: 'D_Z Rv:Rm_Y', W_mixed: 'Rv_Y D_Z' },
        ...(ranks ? { W_low: 'D_Z l:Rl', W_raise: 'l:Rr Rv:Rg_Y' } : {}),
      }),
    },
    einsums: [
      ...before(ranks),
      { out: 'Scanned', left: 'Inputs', right: 'Steps', kind: 'scan' },
      { out: 'Normed', left: 'Scanned', right: 'Channels', kind: 'elementwise' },
      ...after,
    ],
  }
}

/** The recurrence under inference layouts: heads are shared out as those of attention's results are. `Scanned` is what its kernels stream. */
export function inferenceMixer(projection: ProjectionLayout, layout: CacheLayout, ranks: boolean): Component {
  const { rest, tokens, stream, weightD, weightInner, inner, latentHeads } = projections[projection]
  const { sequences, resultHeads } = caches[layout]
  const heads = `${resultHeads === '' ? '_' : resultHeads}C`
  const streamed = shardedArray('Scanned', 'activation', `${sequences} T Rv:Rs${heads}`)
  return {
    name: 'attention',
    arrays: {
      ...table('activation', {
        In: `${rest} ${stream}`,
        ...(ranks ? { Low: `${tokens} l:Rl` } : {}),
        Projected: `${tokens} Rv:Rp${inner}`,
        Channels: `${sequences} T Rv:Rp${heads}`,
        Inputs: `${sequences} T Rv:Rk${heads}`,
        Normed: `${sequences} T Rv${heads}`,
        Mixed: `${tokens} Rv${inner}`,
        Out: `${rest} ${stream}`,
      }),
      Scanned: streamed,
      ...table('cache', { State: `${sequences} Rv${heads} Rw:Rn`, Last: `${sequences} Rv:Rt${heads}` }),
      ...table('scores', { Steps: `${sequences} T Rv${heads} Rw` }),
      ...weights('attention', {
        W_mix: `${weightD} Rv:Rm${weightInner}`,
        W_mixed: `Rv${weightInner} ${weightD}`,
        ...(ranks ? { W_low: `${weightD} l:Rl`, W_raise: `l:Rr Rv:Rg${latentHeads}` } : {}),
      }),
    },
    einsums: [
      ...before(ranks),
      { out: 'Steps', left: 'Inputs', right: 'State', kind: 'scan' },
      { out: 'Normed', left: 'Steps', right: 'Channels', kind: 'elementwise' },
      ...after,
    ],
  }
}
