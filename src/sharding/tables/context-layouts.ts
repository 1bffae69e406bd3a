/**
 * How attention meets keys that the context axis shards: tables of the arrays inside it. The columns are explained in
 * context-layout-row.ts. Queries, keys and values are projected where their positions are (T_C).
 *
 *   gather    keys and values are gathered over context before the scores (Llama 3, arXiv 2407.21783)
 *   ring      they are passed around instead, from each chip to the next, while the scores of those that are there are computed: the
 *             same bytes, which hide behind those scores, and nothing is held whole (Liu et al. 2023, arXiv 2310.01889)
 *   ulysses   heads are sharded instead of positions while attention runs: an AllToAll before and one after
 *             (Jacobs et al. 2023, arXiv 2309.14509)
 *
 * A causal mask is taken to be balanced over the ring (zig-zag). In Ulysses the tensor axes and context together must divide the
 * key-value heads.
 */
import type { ArrayKind } from '../array.ts'
import type { Mesh } from '../axis.ts'
import type { AttentionArrays, ContextLayoutRow, Heads } from './context-layout-row.ts'

const here = 'B_RXE T_C'

/** Queries stay where their positions are, and keys come to them. */
const keysMove =
  (keysKind: ArrayKind) =>
  ({ query, key, value }: Heads): AttentionArrays => ({
    activations: { Q: `${here} N_YZ ${query}`, Att: `${here} N_YZ ${value}` },
    keys: { K: `${here} ${key}`, V: `${here} ${keyOf(key, value)}` },
    keysKind,
    scores: `${here} S:T N_YZ`,
    einsums: [
      { out: 'Scores', left: 'Q', right: 'K', kind: 'attention', keys: true },
      { out: 'Att', left: 'Scores', right: 'V', kind: 'attention', keys: true },
    ],
    projected: { query: 'Q', key: 'K', value: 'V' },
  })

function headsMove({ query, key, value }: Heads): AttentionArrays {
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

/** Values lie as keys do, but their heads have a width of their own. */
function keyOf(key: string, value: string): string {
  return `${key.split(' ')[0]} ${value}`
}

const headShards = ({ tensor, tensor2, context }: Mesh) => tensor * tensor2 * context

/** The first layout is the one of a mesh without a context axis, where all are alike. */
export const contextLayoutRows = [
  {
    name: 'gather',
    arrays: keysMove('activation'),
    keys: 'whole',
    movesByAllToAll: false,
    balancedOver: 'the context axis',
    needs: null,
  },
  {
    name: 'ring',
    arrays: keysMove('passed'),
    keys: 'own',
    movesByAllToAll: false,
    balancedOver: 'the ring',
    needs: null,
  },
  {
    name: 'ulysses',
    arrays: headsMove,
    keys: 'exchanged',
    movesByAllToAll: true,
    balancedOver: null,
    needs: {
      fits: (mesh, { kvHeads }) => kvHeads % headShards(mesh) === 0,
      says: (mesh, { kvHeads }) =>
        `ulysses shards ${kvHeads} key-value heads over tensor x tensor2 x context = ${headShards(mesh)}, which does not divide them`,
    },
  },
] as const satisfies readonly ContextLayoutRow[]

export type ContextLayout = (typeof contextLayoutRows)[number]['name']
