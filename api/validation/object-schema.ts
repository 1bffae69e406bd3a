/** Finds the object schemas that may apply at a path inside a schema: which keys there are, and in which alternative. */
import type { z } from 'zod'
import { valueAt } from './json-pointer.ts'

export type Schema = z.core.$ZodType
export type Path = readonly PropertyKey[]

/** Of alternatives with a discriminator, the one that the value names; otherwise all. */
export function objectsMeant(schema: Schema, path: Path, value: unknown): z.core.$ZodObject[] {
  return objectsAt(schema, path, value, named)
}

export function objectsPossible(schema: Schema, path: Path): z.core.$ZodObject[] {
  return objectsAt(schema, path, undefined, any)
}

/** For example `mode generate`, for an alternative that a single value of a key selects. */
export function kindOf({ _zod }: z.core.$ZodObject): string {
  return Object.entries(_zod.propValues)
    .filter(([, values]) => values.size === 1)
    .map(([key, values]) => `${key} ${[...values].join()}`)
    .join(', ')
}

/** Schemas for the value at a path: one for each alternative that is possible there. */
export function schemasMeant(schema: Schema, path: Path, value: unknown): Schema[] {
  return schemasAt(schema, path, value, named)
}

type Choice = (options: readonly Schema[], discriminator: string, value: unknown) => readonly Schema[]

const named: Choice = (options, discriminator, here) => {
  const told = options.filter(({ _zod }) =>
    _zod.propValues?.[discriminator]?.has(valueAt(here, [discriminator]) as string),
  )
  return told.length > 0 ? told : options
}

const any: Choice = (options) => options

function schemasAt(schema: Schema, path: Path, value: unknown, choose: Choice): Schema[] {
  const [part, ...rest] = path
  if (part === undefined) return [schema]
  return alternatives(schema, value, choose).flatMap(({ _zod: { def } }) => {
    if ('element' in def) return schemasAt(def.element as Schema, rest, valueAt(value, [part]), choose)
    if (!('shape' in def)) return []
    const shape = def.shape as Readonly<Record<PropertyKey, Schema>>
    const inner = Object.hasOwn(shape, part) ? shape[part] : undefined
    return inner ? schemasAt(inner, rest, valueAt(value, [part]), choose) : []
  })
}

/** Resolves wrappers (optional, default) and unions. */
export function alternatives(schema: Schema, value: unknown = undefined, choose = named): Schema[] {
  const { def } = schema._zod
  if ('innerType' in def) return alternatives(def.innerType as Schema, value, choose)
  if (!('options' in def)) return [schema]
  const options = def.options as readonly Schema[]
  const open = 'discriminator' in def ? choose(options, String(def.discriminator), value) : options
  return open.flatMap((option) => alternatives(option, value, choose))
}

function objectsAt(schema: Schema, path: Path, value: unknown, choose: Choice): z.core.$ZodObject[] {
  return schemasAt(schema, path, value, choose)
    .flatMap((found) => alternatives(found, valueAt(value, path), choose))
    .filter((found): found is z.core.$ZodObject => 'shape' in found._zod.def)
}
