/**
 * What an unknown key may have meant. A known other name goes before a similar spelling, and a key in the same object
 * before one below it, before one anywhere else in the request. The proposed change moves the value along, converted if
 * necessary.
 */
import { isFields } from '../../src/fields.ts'
import type { Change } from '../../src/rules/part-rule.ts'
import { jsonPointer, valueAt } from '../validation/json-pointer.ts'
import {
  alternatives,
  objectsMeant,
  type Path,
  type Schema,
  schemasMeant,
} from '../validation/object-schema.ts'
import { called } from './called/called.ts'
import { explained } from './called/explained.ts'
import { meantValue } from './meant-value.ts'
import { namesOf, plainName } from './name.ts'
import { nearest } from './nearest.ts'

export interface MeantKey {
  /** Sentence that follows the one about what is wrong. */
  readonly says: string
  readonly suggestions?: readonly string[]
  readonly correction?: readonly Change[]
}

export function meantKey(key: string, path: Path, schema: Schema, body: unknown): MeantKey | null {
  const same = plainName(key)
  const explanation = explained.find(({ names }) => names.some((name) => plainName(name) === same))
  if (explanation) return { says: explanation.says }
  const given = { path, key, value: valueAt(body, [...path, key]) }
  const meant = byName.get(same) ?? []
  const beside = keysAt(schema, path, body)
  const here = beside.map((name) => ({ path, key: name }))
  const elsewhere = placesIn(schema, body)
  const isThere = ({ path: above }: Place) =>
    valueAt(body, above) !== undefined || schemasMeant(schema, above, body).every(hasToBeAnObject)
  const below = elsewhere.filter(({ path: above }) => path.every((part, at) => above[at] === part))
  const named = (keys: readonly string[], places: readonly Place[]) =>
    keys
      .flatMap((name) => places.filter((place) => place.key === name))
      .map((place) => proposal(place, given, schema, body))
  const ranked = [
    ...named(
      beside.filter((name) => plainName(name) === same),
      here,
    ),
    ...named([key], below.filter(isThere)),
    ...best(named(meant, here)),
    ...contents(given, meant),
    ...named([key], below),
    ...best(named(meant, below)),
    ...named([key], elsewhere),
    ...best(named(meant, elsewhere)),
    ...named(nearest(key, beside, 1), here),
  ]
  const corrected = ranked.filter(({ correction }) => correction)
  return corrected.find(({ stands }) => !stands) ?? corrected[0] ?? ranked[0] ?? null
}

/**
 * Of several meanings, the one that the value fits unchanged goes first: `gpus: 8` is a number of chips, `gpus: "h100"` a chip. Then one that
 * has to be there goes before one that may be left out.
 */
function best(proposals: readonly Proposal[]): readonly Proposal[] {
  return [...proposals].sort(
    (a, b) => Number(b.asGiven) - Number(a.asGiven) || Number(b.needed) - Number(a.needed),
  )
}

/** An object inside of itself under another name, `constraints: {mesh: {...}}`: its keys belong one level up. */
function contents({ path, key, value }: Given, meant: readonly string[]): readonly Proposal[] {
  const within = path.at(-1)
  if (!meant.includes(String(within)) || typeof value !== 'object' || value === null) return []
  const inside = Object.entries(value)
  const correction = [
    { pointer: jsonPointer([...path, key]), value: null },
    ...inside.map(([name, one]) => ({ pointer: jsonPointer([...path, name]), value: one })),
  ]
  return [
    {
      says: `what is in it belongs in ${String(within)} itself`,
      correction,
      asGiven: true,
      needed: false,
      stands: false,
    },
  ]
}

const byName = namesOf(called)

interface Place {
  readonly path: Path
  readonly key: string
}

interface Given extends Place {
  readonly value: unknown
}

interface Proposal extends MeantKey {
  readonly asGiven: boolean
  /** Whether the request lacks the key that is meant, and may not. */
  readonly needed: boolean
  /** Whether the key that is meant is already there, with a value of its own. */
  readonly stands: boolean
}

function proposal(place: Place, given: Given, schema: Schema, body: unknown): Proposal {
  const target = [...place.path, place.key]
  const pointer = jsonPointer(target)
  const name = jsonPointer(place.path) === jsonPointer(given.path) ? place.key : pointer
  if (valueAt(body, target) !== undefined) {
    const says = `did you mean ${name}? It stands there already`
    const correction = [{ pointer: jsonPointer([...given.path, given.key]), value: null }]
    return { says, suggestions: [name], correction, asGiven: false, needed: false, stands: true }
  }
  const schemas = schemasMeant(schema, target, body)
  const value = meantValue(schemas, place.key, inUnit(given.key, given.value))
  // Objects move unchecked: their own faults are reported once they are in the right place.
  const kept = value === undefined && isFields(given.value) && schemas.some(takesObject) ? given.value : value
  const said = {
    says: `did you mean ${name}?`,
    suggestions: [name],
    asGiven: kept === given.value,
    needed: schemas.every(({ _zod }) => _zod.optin === undefined),
    stands: false,
  }
  if (kept === undefined || kept === null) return said
  return {
    ...said,
    correction: [
      { pointer: jsonPointer([...given.path, given.key]), value: null },
      { pointer, value: kept },
    ],
  }
}

/** A key's name may contain the unit: `memoryGb: 60`. */
function inUnit(key: string, value: unknown): unknown {
  const [, unit] = /(gib|gb|gigabytes)$/.exec(plainName(key)) ?? []
  return unit && typeof value === 'number' ? `${value} ${unit === 'gib' ? 'GiB' : 'GB'}` : value
}

function takesObject(schema: Schema): boolean {
  return alternatives(schema).some(({ _zod: { def } }) => 'shape' in def)
}

function hasToBeAnObject(schema: Schema): boolean {
  return schema._zod.optin === undefined && alternatives(schema).every(({ _zod: { def } }) => 'shape' in def)
}

function keysAt(schema: Schema, path: Path, body: unknown): readonly string[] {
  return [...new Set(objectsMeant(schema, path, body).flatMap(({ _zod }) => Object.keys(_zod.def.shape)))]
}

/** Number of levels in which keys are searched for. */
const deepest = 3

/** All keys that the request may have, with their places: those in objects that it has first, then the others, from the top level down. */
function placesIn(schema: Schema, body: unknown): readonly Place[] {
  const places: Place[] = []
  let level: readonly Path[] = [[]]
  for (let depth = 0; depth < deepest; depth++) {
    const found = level.flatMap((path) => {
      const here = valueAt(body, path)
      if (here !== undefined && (typeof here !== 'object' || here === null)) return []
      return keysAt(schema, path, body).map((key) => ({ path, key }))
    })
    places.push(...found)
    level = found.map(({ path, key }) => [...path, key])
  }
  const there = ({ path }: Place) => valueAt(body, path) !== undefined
  return [...places.filter(there), ...places.filter((place) => !there(place))]
}
