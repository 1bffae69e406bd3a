/** The element types that a server's options describe: of computation, of quantised weights, and of caches. */
import type { ElementType } from '../../recipe/element-types.ts'
import type { Formats } from './formats.ts'
import type { Quantized } from './quantization.ts'

interface Said {
  readonly type: string | null
  readonly cache: string | null
}

type Named = readonly [name: string, type: ElementType]

/**
 * Element types by a framework's names for caches, including names that are read but never written. `auto`, the
 * checkpoint's own type, is left out.
 */
export function typesOf({ caches }: Formats, ...others: readonly Named[]): ReadonlyMap<string, ElementType> {
  const own = (Object.keys(caches) as ElementType[]).map((type): Named => [caches[type] ?? 'auto', type])
  return new Map([...own, ...others].filter(([name]) => name !== 'auto'))
}

/** The note on a type of caches that there is no name for here. */
export function uncountedCaches(
  { cache }: Pick<Said, 'cache'>,
  types: ReadonlyMap<string, ElementType>,
): string | null {
  if (cache === null || cache === 'auto' || types.has(cache)) return null
  return `--kv-cache-dtype ${cache.slice(0, 100)}: caches are counted in the type that they have otherwise; say theirs in precision.kvCache`
}

export function precisionRead(
  { type, cache }: Said,
  { types: quantised, loaded }: Pick<Quantized, 'types' | 'loaded'>,
  types: ReadonlyMap<string, ElementType>,
): Readonly<Record<string, string>> {
  const kvCache = types.get(cache ?? 'auto')
  return {
    ...loaded,
    ...(type === 'float32' || type === 'float' ? { weights: 'fp32', compute: 'fp32' } : {}),
    ...quantised,
    ...(kvCache ? { kvCache } : {}),
  }
}
