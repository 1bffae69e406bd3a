/**
 * A mixture of experts as a table: k choices A of E experts per token, of width G (dFfExpert), beside shared experts of width
 * U that every token visits.
 *
 *   Routed       each token copied for the devices that hold its experts: J of them, at most k   (where the token is)
 *   Dispatched   the copies where their experts are: the expert axis goes from sequences to choices, an AllToAll
 *   Combined     what the experts made of them, back again: another AllToAll, and their sum
 *
 * Where experts have a width of their own, a token is projected down to it (Narrow) before it is copied, and the sum of what they made (Summed)
 * back up: what is sent is that much narrower (LatentMoE).
 *
 * All that is not an expert treats the expert axis like data. Experts are sharded over tensor as an MLP is. The
 * router's D·E weights are in no table, as the book leaves them out, nor is the gradient that reaches it: they are held beside, whole on each chip (cost/memory/state-terms.ts).
 * Sources: "How To Scale Your Model", GPUs; Lepikhin et al., "GShard" (2020), arXiv 2006.16668.
 */
import type { Transformer } from '../../model/transformer.ts'
import { type ShardedArray, table, weights } from '../array.ts'
import type { Component } from '../component.ts'
import { mlpEinsums } from './mlp-einsums.ts'

/** The shardings that the training tables and this one have in common. */
export interface ExpertSharding {
  /** The residual stream: B and T with the expert axis on the sequences (`tokens`) and without it (`dispatched`), and D. */
  readonly stream: { readonly tokens: string; readonly dispatched: string; readonly d: string }
  /** Tokens as the matmuls want them: no tensor axis on T. */
  readonly tokens: string
  readonly dispatched: string
  readonly weightD: string
  readonly weightInner: string
  readonly inner: string
}

export function experts(
  { gatedMlp, experts: mixture }: Pick<Transformer, 'gatedMlp' | 'experts'>,
  sharding: ExpertSharding,
): Component {
  const { dispatched, weightInner, inner } = sharding
  const latent = mixture?.latentWidth !== undefined
  const own = latent ? narrowed(sharding) : sharding
  const { stream, weightD } = own
  const hidden = `${dispatched} A_E G${inner}`
  const into = `A:E_E ${weightD} G${weightInner}`
  const shared = (mixture?.sharedExperts ?? 0) > 0
  return {
    name: 'experts',
    arrays: {
      ...table('activation', {
        In: `${stream.tokens} ${sharding.stream.d}`,
        Dispatched: `${stream.dispatched} A_E ${stream.d}`,
        Up: hidden,
        Tmp: hidden,
        Out: `${stream.tokens} ${sharding.stream.d}`,
        ...(gatedMlp ? { Gate: hidden } : {}),
      }),
      ...table('dispatch', { Routed: `${stream.tokens} A:J ${stream.d}` }),
      ...table('combine', {
        Made: `${stream.dispatched} A:J_E ${stream.d}`,
        Combined: `${stream.tokens} A:J ${stream.d}`,
      }),
      ...table('scores', { Choice: `${stream.tokens} A` }),
      ...weights('experts', {
        W_in: into,
        W_out: `A:E_E G${weightInner} ${weightD}`,
        ...(gatedMlp ? { W_gate: into } : {}),
      }),
      ...(latent ? narrowArrays(sharding) : {}),
      ...(shared ? sharedArrays(sharding, gatedMlp, true) : {}),
    },
    einsums: [
      ...(latent ? [narrowing] : []),
      { out: 'Routed', left: latent ? narrowing.out : 'In', right: 'Choice', kind: 'route' },
      { out: 'Dispatched', left: 'Routed', right: 'Routed', kind: 'reshard' },
      ...mlpEinsums(gatedMlp, { from: 'Dispatched', to: 'Made', keptBefore: true }),
      { out: 'Combined', left: 'Made', right: 'Made', kind: 'reshard' },
      { out: latent ? widening.left : 'Out', left: 'Combined', right: 'Choice', kind: 'route' },
      ...(latent ? [widening] : []),
      ...(shared ? mlpEinsums(gatedMlp, { prefix: 'Shared', keptBefore: true }) : []),
    ],
  }
}

/** Down to the experts' own width, before a token's copies, and back up, after their sum. */
export const narrowing = { out: 'Narrow', left: 'In', right: 'W_narrow', kind: 'matmul' } as const
export const widening = { out: 'Out', left: 'Summed', right: 'W_widen', kind: 'matmul' } as const

/** The same shardings with the experts' width in place of D. */
export function inLatent(notation: string): string {
  return notation.replace('D', 'M')
}

function narrowed(sharding: ExpertSharding): ExpertSharding {
  const { stream, weightD } = sharding
  return { ...sharding, stream: { ...stream, d: inLatent(stream.d) }, weightD: inLatent(weightD) }
}

/** The projections are whole on each tensor chip where positions are shared out, as Megatron-LM has them (`duplicated`), and lie as the stream does where D is. */
function narrowArrays({ stream, weightD }: ExpertSharding): Record<string, ShardedArray> {
  const narrow = `${stream.tokens} ${inLatent(stream.d)}`
  const rank = stream.d.includes('Y') ? 'M_Y' : 'M'
  return {
    ...table('activation', { Narrow: narrow, Summed: narrow }),
    ...weights('sharedExperts', { W_narrow: `${weightD} ${rank}`, W_widen: `${rank} ${weightD}` }),
  }
}

export function sharedArrays(
  {
    tokens,
    weightD,
    weightInner,
    inner,
  }: Pick<ExpertSharding, 'tokens' | 'weightD' | 'weightInner' | 'inner'>,
  gated: boolean,
  keptBefore = false,
): Record<string, ShardedArray> {
  const hidden = `${tokens} F:U${inner}`
  const into = `${weightD} F:U${weightInner}`
  return {
    ...table('activation', {
      SharedTmp: hidden,
      ...(gated ? { SharedGate: hidden } : {}),
      ...(gated || keptBefore ? { SharedUp: hidden } : {}),
    }),
    ...weights('sharedExperts', {
      W_Sharedin: into,
      W_Sharedout: `F:U${weightInner} ${weightD}`,
      ...(gated ? { W_Sharedgate: into } : {}),
    }),
  }
}
