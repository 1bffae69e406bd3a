/**
 * The policy that MaxText's keys describe. `custom`, and a named policy of a model with experts or latent attention, is read array by
 * array: it is the policy of the table that keeps the same where there is one, else one composed of what it keeps. The checkpoint
 * around the scan over layers, which is the default, recomputes everything under `none`. Source: as config.ts,
 * src/maxtext/layers/nnx_decoders.py (get_remat_policy, _apply_layers_sequentially) and configs/base.yml.
 */

import { compact } from '../../../compact.ts'
import { ownValue } from '../../../fields.ts'
import {
  composedName,
  type KeepingPlace,
  keepingPlaces,
  type NamedArray,
  namedArrays,
  type Places,
} from '../../../recipe/composed-policy.ts'
import { keepEverything, keepsCopies, policyNamed, recomputeEverything } from '../../../recipe/policy.ts'
import type { Keys } from '../../read/fields.ts'
import type { KnownModel } from '../../read/known-model.ts'
import type { Misnamed } from '../../read/reading.ts'
import { hostPart, names, type Part, parts } from '../recomputation.ts'

interface PolicyRead {
  readonly policy: string | null
  readonly notes: readonly string[]
  readonly faults: readonly string[]
  readonly misnamed?: readonly Misnamed[]
}

/** What MaxText's own policies keep that a backward pass reads: as those of ours that have their names, and two more. */
const kept: Readonly<Record<string, readonly Part[]>> = {
  ...Object.fromEntries(Object.entries(names).map(([policy, name]) => [name, parts[policy] ?? []])),
  minimal_flash: ['queries', 'context', 'output', 'hidden'],
  save_dot_except_mlpwi: ['queries', 'output'],
}

const projections = ['query_proj', 'key_proj', 'value_proj'] as const

/** The arrays of each part in named policies, which leave out the second product of experts, and low ranks. */
const arraysOf: Readonly<Record<Part, readonly NamedArray[]>> = {
  queries: projections,
  context: ['context'],
  output: ['out_proj'],
  hidden: ['mlpwi_0', 'mlpwi_1', 'mlpwi'],
}

/** Policies that keep operands in low precision beside what they are made from, which no term counts. */
const uncounted = ['minimal_with_quantization', 'minimal_with_context_and_quantization']

/** Keys of arrays that are other names for what has one: a norm of it, or several in one product. */
const others: Readonly<Record<string, readonly NamedArray[]>> = {
  mla_q: ['query_wa_proj'],
  mla_kv: ['kv_wa_proj'],
}

/** Keys of arrays that no term has. */
const untold = [
  ...['mlpwo', 'moe_mlpwo', 'attention_out', 'kv_proj', 'indexer_cutoff_threshold', 'engram'],
] as const

/** `sent` says whether tokens are sent to experts on other chips, which MaxText does again whatever is kept. */
export function readMaxtextPolicy(keys: Keys, model: KnownModel | null, sent: boolean): PolicyRead {
  const name = keys.text('remat_policy', 'full')
  const places = placesOf(keys)
  const dropped = untold.filter((array) => placeOf(keys, array) !== undefined)
  if (name === 'custom')
    return { policy: policyOf(places, keys, model, sent), notes: compact(uncountedNote(dropped)), faults: [] }
  const policy = namedPolicy(name, keys, model, sent)
  if (policy !== null) return { policy, notes: [], faults: [] }
  if (uncounted.includes(name)) {
    const fault = `remat_policy ${name} also keeps operands in low precision, which no policy here does: plan.rematerialization says which is to stand for it`
    return { policy: null, notes: [], faults: [fault] }
  }
  const among = [...Object.keys(kept), 'custom']
  return { policy: null, notes: [], faults: [], misnamed: [{ option: 'remat_policy', value: name, among }] }
}

function namedPolicy(name: string, keys: Keys, model: KnownModel | null, sent: boolean): string | null {
  if (/^none$/i.test(name))
    return keys.is('scan_layers', true) ? recomputeEverything.name : keepEverything.name
  if (name === recomputeEverything.name) return name
  const own = ownValue(kept, name)
  if (!own) return null
  const [ours] = Object.entries(names).filter(([, told]) => told === name)
  const whole = !(model?.experts || model?.latent)
  if (ours && whole) return Object.hasOwn(names, name) ? name : ours[0]
  const place: KeepingPlace = hostPart(name) ? 'offload' : 'device'
  const arrays = own.flatMap((part) => arraysOf[part])
  return policyOf(Object.fromEntries(arrays.map((array) => [array, place])), keys, model, sent)
}

/** Where each array is kept. A product that makes several arrays stands for each of them where the model has it. */
function placesOf(keys: Keys): Places {
  const written = namedArrays.map((array) => [array, placeOf(keys, array)] as const)
  const fused = [
    ...(keys.is('fused_qkv') || isLearned(keys) ? [['qkv_proj', projections] as const] : []),
    ...(keys.is('fused_mlp') ? [['mlpwi', ['mlpwi_0', 'mlpwi_1']] as const] : []),
    ...Object.entries(others),
  ].flatMap(([key, arrays]) => arrays.map((array) => [array, placeOf(keys, key)] as const))
  placeOf(keys, 'qkv_proj')
  return Object.fromEntries([...fused, ...written].filter(([, place]) => place !== undefined))
}

function placeOf(keys: Keys, array: string): KeepingPlace | undefined {
  const said = keys.text(array, array === 'decoder_layer_input' ? 'device' : 'remat')
  return keepingPlaces.find((place) => place === said)
}

function isLearned(keys: Keys): boolean {
  return keys.text('decoder_block', '') === 'gpt3'
}

/** Policies with what they keep: those that have their names from MaxText before those that its commands stand for. */
const ownFirst = Object.entries(parts).toSorted(
  ([one], [other]) => Number(names[one] !== one) - Number(names[other] !== other),
)

function isCopied(policy: string): boolean {
  const row = policyNamed(policy)
  return row !== undefined && keepsCopies(row)
}

/** The policy of the table that keeps the same, or one composed of the arrays. */
function policyOf(places: Places, keys: Keys, model: KnownModel | null, sent: boolean): string {
  const groups = groupsOf(places, keys, model)
  const input = places.decoder_layer_input === 'offload'
  const same = ownFirst.find(([policy, own]) => {
    if (sent && isCopied(policy)) return false
    const host = hostPart(policy)
    const place = host && own.length > 0 ? 'offload' : 'device'
    return (
      (host?.input ?? false) === input &&
      (Object.keys(groups) as Part[]).every(
        (part) => placeOfAll(places, groups[part]) === (own.includes(part) ? place : null),
      )
    )
  })
  return same?.[0] ?? composedName(places)
}

/** The arrays that a model has of each part of the table's policies. */
function groupsOf(
  places: Places,
  keys: Keys,
  model: KnownModel | null,
): Readonly<Record<Part, readonly NamedArray[]>> {
  const gated = keys.text('mlp_activations', 'silu,linear').includes(',') && !isLearned(keys)
  const low = ['query_wa_proj', 'kv_wa_proj'] as const
  const ranks = model?.latent ? low.filter((array) => array === 'kv_wa_proj' || places[array]) : []
  return {
    queries: [...projections, ...ranks],
    context: ['context'],
    output: ['out_proj'],
    hidden: gated ? ['mlpwi_0', 'mlpwi_1', ...(model?.experts ? (['moe_mlpwi_1'] as const) : [])] : ['mlpwi'],
  }
}

/** Where all of the arrays are kept; null where none is, and undefined where they differ. */
function placeOfAll(places: Places, arrays: readonly NamedArray[]): KeepingPlace | null | undefined {
  const [first = null, ...more] = new Set(arrays.map((array) => places[array] ?? null))
  return more.length === 0 ? first : undefined
}

function uncountedNote(arrays: readonly string[]): string | null {
  if (arrays.length === 0) return null
  const last = arrays.some((array) => /mlpwo$/.test(array))
    ? ': the backward pass of a dense layer does not read what its MLP gives, and XLA drops it; of experts its bytes come on top'
    : ': its bytes come on top'
  return `remat_policy custom keeps ${arrays.join(', ')}, which is not counted${last}`
}
