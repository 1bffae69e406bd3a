/**
 * Values at the limits of what a schema allows: the least and the largest numbers, large primes, the longest lists and
 * names. Refinements beyond the schema are ignored, so that some values are still rejected.
 */
import fc from 'fast-check'
import { z } from 'zod'

type Schema = z.core.$ZodType
type Arbitrary = fc.Arbitrary<unknown>

/** No number that makes a list of such is larger than the most values that a body may have. */
const longestList = 1000

export function extremesOf(schema: Schema): Arbitrary {
  const def = schema._zod.def as unknown as Readonly<Record<string, unknown>>
  const { least = 0, most } = boundsOf(schema)
  if (def.innerType) return extremesOf(def.innerType as Schema)
  switch (def.type) {
    case 'number':
      return fc.constantFrom(...numbers(boundsOf(schema)))
    case 'string':
      return fc.constantFrom('x', 'x'.repeat(most ?? 100), 'h100-sxm', 'llama-3-8b')
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'literal':
      return fc.constantFrom(...(def.values as unknown[]))
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries as object))
    // What a text stands for has the larger values.
    case 'pipe':
      return extremesOf(def.out as Schema)
    case 'union':
      return fc.oneof(...(def.options as Schema[]).map(extremesOf))
    case 'array': {
      const longest = Math.min(longestList, most ?? longestList)
      const length = fc.constantFrom(longest, longest, least)
      return fc.tuple(extremesOf(def.element as Schema), length).map(([each, many]) => Array(many).fill(each))
    }
    case 'object':
      return objectOf(def.shape as Readonly<Record<string, Schema>>)
    case 'unknown':
    case 'record':
      return fc.constantFrom({}, { model_type: 'llama', hidden_size: 1e308, num_hidden_layers: 1e15 })
    default:
      throw new Error(`a schema of type ${def.type}`)
  }
}

interface Bounds {
  readonly least?: number | undefined
  readonly most?: number | undefined
  readonly whole?: boolean
}

/** Of numbers the value, of lists and texts the length. */
function boundsOf(schema: Schema): Bounds {
  if (schema instanceof z.ZodNumber)
    return { least: schema.minValue ?? undefined, most: schema.maxValue ?? undefined, whole: schema.isInt }
  const told = (schema._zod.def.checks ?? []).map(
    ({ _zod }) => _zod.def as { minimum?: number; maximum?: number },
  )
  return {
    least: told.find(({ minimum }) => minimum !== undefined)?.minimum,
    most: told.find(({ maximum }) => maximum !== undefined)?.maximum,
  }
}

function numbers({ least = 0, most = 1e308, whole }: Bounds): readonly number[] {
  if (!whole) return [least, most]
  const primes = [3, 61, 4093, 999_983, 999_999_000_001].filter((prime) => prime >= least && prime <= most)
  return [least, most, most, ...primes.slice(-1)]
}

function objectOf(shape: Readonly<Record<string, Schema>>): Arbitrary {
  const keys = Object.entries(shape)
  const needed = keys.filter(([, schema]) => schema._zod.optin === undefined).map(([key]) => key)
  return fc.record(Object.fromEntries(keys.map(([key, schema]) => [key, extremesOf(schema)])), {
    requiredKeys: needed,
    noNullPrototype: true,
  })
}
