/**
 * What a layout of inference is, by the rows that its tables are made of. Its name is how a plan spells them; here alone are
 * names made, and read again.
 */

import { rowsByName } from '../../recipe/rows.ts'
import { axisBit, axisRows, type Mesh } from '../axis.ts'
import type { CacheLayout, ProjectionLayout } from './inference-sharding.ts'
import { cacheLayouts, caches, projectionLayouts, projections } from './inference-sharding.ts'

/** Whether keys of latent attention are projected, or the projection is absorbed into the queries. */
export const latentForms = ['absorbed', 'projected'] as const
export type LatentForm = (typeof latentForms)[number]

export interface ExpertPlacesRow {
  readonly name: string
  /** Over how many chips whole experts are dealt out. */
  readonly holders: (mesh: Mesh) => number
  /** On which meshes: an axis of experts is there to deal them out. */
  readonly on: (mesh: Mesh) => boolean
  /** A chip has some experts whole, not a slice of each. */
  readonly whole: boolean
  /** Tokens are sent to the chips of their experts, not gathered where all are. */
  readonly sends: boolean
}

export const expertPlaceRows = [
  { name: 'sliced', holders: () => 1, on: ({ expert }) => expert === 1, whole: false, sends: false },
  {
    name: 'spread',
    holders: ({ tensor, tensor2 }) => tensor * tensor2,
    on: ({ expert, tensor, tensor2 }) => expert === 1 && tensor * tensor2 > 1,
    whole: true,
    sends: false,
  },
  {
    name: 'dispatched',
    holders: ({ expert }) => expert,
    on: ({ expert }) => expert > 1,
    whole: true,
    sends: true,
  },
] as const satisfies readonly ExpertPlacesRow[]

export type ExpertPlaces = (typeof expertPlaceRows)[number]['name']
export const expertPlaces = expertPlaceRows.map(({ name }) => name)
export const expertPlacesRow: (name: ExpertPlaces) => ExpertPlacesRow =
  rowsByName<ExpertPlacesRow>(expertPlaceRows)

export interface LayoutFields {
  readonly name: string
  readonly projection: ProjectionLayout
  /** Of attention; null of what has no cache. */
  readonly cache: CacheLayout | null
  /** Of latent attention. */
  readonly form: LatentForm | null
  /** Of experts. */
  readonly places: ExpertPlaces | null
}

export function layoutFields(
  projection: ProjectionLayout,
  { cache = null, form = null, places = null }: Partial<Omit<LayoutFields, 'name' | 'projection'>> = {},
): LayoutFields {
  const name = [projection, cache, form, places].filter((part) => part !== null).join('/')
  return { name, projection, cache, form, places }
}

const named: ReadonlyMap<string, LayoutFields> = new Map(
  projectionLayouts
    .flatMap((projection) => [
      layoutFields(projection),
      ...cacheLayouts.flatMap((cache) =>
        [null, ...latentForms].map((form) => layoutFields(projection, { cache, form })),
      ),
      ...expertPlaces.map((places) => layoutFields(projection, { places })),
    ])
    .map((fields) => [fields.name, fields] as const),
)

/** Of a name in a plan; null where nothing is called so. */
export function fieldsNamed(name: string): LayoutFields | null {
  return named.get(name) ?? null
}

/** Whether a layout is another on a mesh than those before it in the tables: what is sharded over one chip is not sharded. */
export function isDistinct({ projection, cache, places }: LayoutFields, mesh: Mesh): boolean {
  const { projections: ownProjections, caches: ownCaches } = distinctOn(mesh)
  if (!ownProjections.has(projection) || (cache !== null && !ownCaches.has(cache))) return false
  return places === null || expertPlaceRows.some(({ name, on }) => name === places && on(mesh))
}

interface Distinct {
  readonly projections: ReadonlySet<ProjectionLayout>
  readonly caches: ReadonlySet<CacheLayout>
}

/** By the axes that have more than one chip. */
const known = new Map<number, Distinct>()

function distinctOn(mesh: Mesh): Distinct {
  let active = 0
  for (const { name } of axisRows) if (mesh[name] > 1) active |= axisBit[name]
  const found = known.get(active)
  if (found) return found
  const distinct = { projections: firstOfEach(projections, active), caches: firstOfEach(caches, active) }
  known.set(active, distinct)
  return distinct
}

function firstOfEach<Name extends string>(
  rows: Readonly<Record<Name, object>>,
  active: number,
): ReadonlySet<Name> {
  const names = Object.keys(rows) as Name[]
  const read = new Map(names.map((name) => [name, readOn(rows[name], active)]))
  return new Set(
    names.filter((name, at) => !names.slice(0, at).some((other) => read.get(other) === read.get(name))),
  )
}

/** A row as it reads where axes of one chip are left out of what follows each underscore. */
function readOn(row: object, active: number): string {
  return Object.values(row)
    .map((column: string) =>
      column.replaceAll(/_([A-Z]+)/g, (_, letters: string) => {
        const left = axisRows.filter(({ name, letter }) => letters.includes(letter) && active & axisBit[name])
        return left.length > 0 ? `_${left.map(({ letter }) => letter).join('')}` : ''
      }),
    )
    .join(' | ')
}

/** How many groups of tensor chips have sequences of their own while attention runs. */
export function sequenceGroups(cache: CacheLayout, mesh: Mesh): number {
  const { sequences } = caches[cache]
  return (sequences.includes('Y') ? mesh.tensor : 1) * (sequences.includes('Z') ? mesh.tensor2 : 1)
}

/** Whether some of the tensor chips have sequences of their own while attention runs. */
export function sharesOutSequences(cache: CacheLayout | null): boolean {
  return cache !== null && caches[cache].sequences !== caches.heads.sequences
}

/** Whether all tensor chips share out the heads of the cache, and have copies where there are fewer. */
export function sharesOutHeads(cache: CacheLayout): boolean {
  return caches[cache].heads === caches.heads.heads
}

/** Whether all tensor chips share out the positions of the cache (flash decoding). */
export function sharesOutPositions(cache: CacheLayout): boolean {
  return caches[cache].positions !== caches.heads.positions
}

/** Whether nothing in it tells tensor from tensor2, so that only their product counts. */
export function joinsTensors({ projection, cache }: LayoutFields): boolean {
  return projectionsThatJoin.has(projection) && cache !== 'heads-batch'
}

/** Weights that are gathered over both wherever they lie are as good as sharded over both at once. */
const projectionsThatJoin: ReadonlySet<ProjectionLayout> = new Set(['1d', 'gathered-all'])
