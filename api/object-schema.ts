/** The object schemas that may stand at a path inside a schema: what keys there are, and of which alternative. */
import type { z } from 'zod'
import { valueAt } from './json-pointer.ts'

type Schema = z.core.$ZodType
type Path = readonly PropertyKey[]

/** Of alternatives that a key tells apart, the one that the value names; of others, and where it names none, all. */
export function objectsMeant(schema: Schema, path: Path, value: unknown): z.core.$ZodObject[] {
  return objectsAt(schema, path, value, (options, discriminator, here) => {
    const named = options.filter(({ _zod }) =>
      _zod.propValues?.[discriminator]?.has(valueAt(here, [discriminator]) as string),
    )
    return named.length > 0 ? named : options
  })
}

export function objectsPossible(schema: Schema, path: Path): z.core.$ZodObject[] {
  return objectsAt(schema, path, undefined, (options) => options)
}

/** `mode generate`, of an alternative that one value of a key tells apart. */
export function kindOf({ _zod }: z.core.$ZodObject): string {
  return Object.entries(_zod.propValues)
    .filter(([, values]) => values.size === 1)
    .map(([key, values]) => `${key} ${[...values].join()}`)
    .join(', ')
}

type Choice = (options: readonly Schema[], discriminator: string, value: unknown) => readonly Schema[]

function objectsAt(schema: Schema, path: Path, value: unknown, choose: Choice): z.core.$ZodObject[] {
  const { def } = schema._zod
  const [part, ...rest] = path
  if ('innerType' in def) return objectsAt(def.innerType as Schema, path, value, choose)
  if ('options' in def) {
    const options = def.options as readonly Schema[]
    const open = 'discriminator' in def ? choose(options, String(def.discriminator), value) : options
    return open.flatMap((option) => objectsAt(option, path, value, choose))
  }
  if ('element' in def && part !== undefined) {
    return objectsAt(def.element as Schema, rest, valueAt(value, [part]), choose)
  }
  if (!('shape' in def)) return []
  if (part === undefined) return [schema as z.core.$ZodObject]
  const shape = def.shape as Readonly<Record<PropertyKey, Schema>>
  const inner = Object.hasOwn(shape, part) ? shape[part] : undefined
  return inner ? objectsAt(inner, rest, valueAt(value, [part]), choose) : []
}
