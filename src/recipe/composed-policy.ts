/**
 * Rematerialisation policies that somebody composed array by array, as MaxText's `custom` does: each array of a layer that has a name
 * there is kept on the chip (`device`), on the host (`offload`), or computed again. Such a policy is called by what it keeps,
 *
 *   custom(context=device mlpwi_0=offload)
 *
 * and costed as the rows of the table are. The layer's input is kept in any case. Of experts, the first product has two names and the
 * second only its own; `mlpwi` is the one product of an MLP without a gate. Outputs of MLPs and experts (`mlpwo`) are no array here.
 * Source: AI-Hypercomputer/maxtext e591f30, src/maxtext/configs/base.yml (decoder_layer_input and following), layers/linears.py,
 * attentions.py, attention_mla.py, attention_op.py and moe.py, where `checkpoint_name` is called.
 */
import type { PolicyRow } from './policy-row.ts'

export const keepingPlaces = ['device', 'offload'] as const

export type KeepingPlace = (typeof keepingPlaces)[number]

/** By MaxText's name of the array; what is in none of them is computed again. */
export type Places = Readonly<Partial<Record<NamedArray, KeepingPlace>>>

/** The arrays that one name stands for: of attention, of MLPs that have a gate or not, of layers with experts. */
interface Named {
  readonly attention?: readonly string[]
  readonly gated?: readonly string[]
  readonly plain?: readonly string[]
  readonly experts?: readonly string[]
}

const named = {
  decoder_layer_input: {},
  query_proj: { attention: ['Q'] },
  key_proj: { attention: ['K'] },
  value_proj: { attention: ['V'] },
  query_wa_proj: { attention: ['QLow'] },
  kv_wa_proj: { attention: ['KVLow'] },
  context: { attention: ['Result', 'Att'] },
  out_proj: {},
  mlpwi: { plain: ['Up'] },
  mlpwi_0: { gated: ['Gate'], experts: ['Gate', 'SharedGate'] },
  mlpwi_1: { gated: ['Up'], experts: ['SharedUp'] },
  moe_mlpwi_0: { experts: ['Gate'] },
  moe_mlpwi_1: { experts: ['Up'] },
} as const satisfies Readonly<Record<string, Named>>

export type NamedArray = keyof typeof named

export const namedArrays = Object.keys(named) as readonly NamedArray[]

const rows: Readonly<Record<NamedArray, Named>> = named

const [opening, closing] = ['custom(', ')']

/** The policy's name: what it keeps, in the order of the table, but for a layer's input on the chip, where it always is. */
export function composedName(places: Places): string {
  const said = namedArrays.flatMap((array) => {
    const place = places[array]
    const always = array === 'decoder_layer_input' && place === 'device'
    return place === undefined || always ? [] : [`${array}=${place}`]
  })
  return `${opening}${said.join(' ')}${closing}`
}

/** What the name of a composed policy says; null if it is no such name, or names what is not in the table. */
export function composedPlaces(name: string): Places | null {
  if (!name.startsWith(opening) || !name.endsWith(closing)) return null
  const words = name.slice(opening.length, -closing.length).split(/\s+/).filter(Boolean)
  const pairs = words.map((word) => word.split('='))
  const known = pairs.every(
    ([array, place, ...more]) =>
      more.length === 0 &&
      namedArrays.some((own) => own === array) &&
      keepingPlaces.some((own) => own === place),
  )
  return known ? Object.fromEntries(pairs) : null
}

/** The policy of this name; undefined if the name is not that of a composed policy. */
export function composedPolicy(name: string, gatedMlp = true): PolicyRow | undefined {
  const places = composedPlaces(name)
  if (!places) return undefined
  const kept = namedArrays.filter((array) => places[array] !== undefined)
  const away = kept.filter((array) => places[array] === 'offload')
  const arrays = (of: readonly NamedArray[], pick: (own: Named) => readonly string[] | undefined) => [
    ...new Set(of.flatMap((array) => pick(rows[array]) ?? [])),
  ]
  const attention = (of: readonly NamedArray[]) => arrays(of, (own) => own.attention)
  const mlp = (of: readonly NamedArray[]) => arrays(of, (own) => (gatedMlp ? own.gated : own.plain))
  const experts = (of: readonly NamedArray[]) => arrays(of, (own) => own.experts)
  const host = {
    arrays: [...new Set([...attention(away), ...mlp(away), ...experts(away)])],
    input: places.decoder_layer_input === 'offload',
    sum: places.out_proj === 'offload',
  }
  return {
    name,
    attention: attention(kept),
    mlp: mlp(kept),
    experts: experts(kept),
    stream: places.out_proj === undefined ? 1 : 2,
    ...(away.length > 0 ? { host } : {}),
  }
}
