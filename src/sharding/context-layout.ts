/**
 * How attention meets keys that the context axis shards, as tables of what lies how inside it. Queries, keys and values are
 * projected where their positions are (T_C).
 *
 *   gather    keys and values are gathered over context before the scores (Llama 3, arXiv 2407.21783)
 *   ring      they are passed around instead, while the scores of what is there are computed: the same bytes, which
 *             hide behind those scores, and nothing is held whole (Liu et al. 2023, arXiv 2310.01889)
 *   ulysses   heads are sharded instead of positions while attention runs: an AllToAll before and one after
 *             (Jacobs et al. 2023, arXiv 2309.14509)
 *
 * A causal mask is taken to be balanced over the ring (zig-zag). Ulysses needs as many key-value heads as the tensor axes
 * and context have chips.
 */
import type { Transformer } from '../model/transformer.ts'
import type { ArrayKind } from './array.ts'
import type { Mesh } from './axis.ts'
import type { Einsum } from './component.ts'

export const contextLayouts = ['gather', 'ring', 'ulysses'] as const
export type ContextLayout = (typeof contextLayouts)[number]

/** Dimensions of a head of queries and keys, and of values: H, or wider ones in latent attention. */
export interface Heads {
  readonly query: string
  readonly key: string
  readonly value: string
}

export interface AttentionArrays {
  readonly activations: Readonly<Record<string, string>>
  /** What is met from elsewhere: of a kind of its own where it is passed on. */
  readonly keys: Readonly<Record<string, string>>
  readonly keysKind: ArrayKind
  readonly scores: string
  readonly einsums: readonly Einsum[]
  /** The names that the projections give their results. */
  readonly projected: { readonly query: string; readonly key: string; readonly value: string }
}

export function attentionArrays(layout: ContextLayout, { query, key, value }: Heads): AttentionArrays {
  const here = 'B_RXE T_C'
  if (layout !== 'ulysses') {
    return {
      activations: { Q: `${here} N_YZ ${query}`, Att: `${here} N_YZ ${value}` },
      keys: { K: `${here} ${key}`, V: `${here} ${keyOf(key, value)}` },
      keysKind: layout === 'ring' ? 'passed' : 'activation',
      scores: `${here} S:T N_YZ`,
      einsums: [
        { out: 'Scores', left: 'Q', right: 'K', kind: 'attention', keys: true },
        { out: 'Att', left: 'Scores', right: 'V', kind: 'attention', keys: true },
      ],
      projected: { query: 'Q', key: 'K', value: 'V' },
    }
  }
  const whole = (heads: string) => `B_RXE T ${heads.replace('_YZ', '_YZC')}`
  const [queries, results] = [`N_YZ ${query}`, `N_YZ ${value}`]
  return {
    activations: {
      ...{ OwnQ: `${here} ${queries}`, OwnK: `${here} ${key}`, OwnV: `${here} ${keyOf(key, value)}` },
      ...{ Q: whole(queries), Result: whole(results), Att: `${here} ${results}` },
    },
    keys: { K: whole(key), V: whole(keyOf(key, value)) },
    keysKind: 'activation',
    scores: 'B_RXE T S:T N_YZC',
    einsums: [
      { out: 'Q', left: 'OwnQ', right: 'OwnQ', kind: 'reshard' },
      { out: 'K', left: 'OwnK', right: 'OwnK', kind: 'reshard' },
      { out: 'V', left: 'OwnV', right: 'OwnV', kind: 'reshard' },
      { out: 'Scores', left: 'Q', right: 'K', kind: 'attention', keys: true },
      { out: 'Result', left: 'Scores', right: 'V', kind: 'attention', keys: true },
      { out: 'Att', left: 'Result', right: 'Result', kind: 'reshard' },
    ],
    projected: { query: 'OwnQ', key: 'OwnK', value: 'OwnV' },
  }
}

/** Values lie as keys do, with heads of their own width. */
function keyOf(key: string, value: string): string {
  return `${key.split(' ')[0]} ${value}`
}

/** Only where there is a context axis do layouts differ. */
export function contextLayoutFits(layout: ContextLayout, mesh: Mesh, { kvHeads }: Transformer): boolean {
  if (layout === 'gather') return true
  if (mesh.context === 1) return false
  return layout === 'ring' || kvHeads % (mesh.tensor * mesh.tensor2 * mesh.context) === 0
}
