/**
 * The fields of an inference layout, each the name of a row that its tables are made of. A plan spells a layout by its name; names
 * are made and read only here.
 */

import { remembered } from '../../known.ts'
import { rowsByName } from '../../recipe/rows.ts'
import { axesOfArray, shardedArray } from '../array.ts'
import { type Axis, axisBit, axisRows, type Mesh } from '../axis.ts'
import type { Cache, CacheLayout, ProjectionLayout } from './inference-sharding.ts'
import { caches, projectionLayouts, projections, projectionUse } from './inference-sharding.ts'

/** Whether latent attention projects keys up, or absorbs the projection into the queries. */
export const latentForms = ['absorbed', 'projected'] as const
export type LatentForm = (typeof latentForms)[number]

export interface ExpertPlacesRow {
  readonly name: string
  /** Number of chips that whole experts are dealt out over. */
  readonly holders: (mesh: Mesh) => number
  /** Whether a mesh may have it: dealing experts out needs an axis to do so. */
  readonly on: (mesh: Mesh) => boolean
  /** Whether a chip has some experts whole, rather than a slice of each. */
  readonly whole: boolean
  /** Whether tokens are sent to the chips of their experts, rather than gathered where all experts are. */
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

/** Where experts may lie under the layout of what all tokens visit: shared experts, and the stream. */
export function placesBeside(projection: ProjectionLayout): readonly ExpertPlaces[] {
  return placesOf[projection]
}

const usual = ['sliced', 'dispatched'] as const
const gathering = ['sliced', 'spread'] as const

const placesOf: Readonly<Record<ProjectionLayout, readonly ExpertPlaces[]>> = {
  ...{ '1d': expertPlaces, '2d': usual, gathered: usual, 'gathered-all': usual },
  ...{ '1d-sequences': gathering, 'copied-all': gathering, copied: gathering },
}

export interface LayoutFields {
  readonly name: string
  readonly projection: ProjectionLayout
  /** Layout of attention's cache; null for a component without one. */
  readonly cache: CacheLayout | null
  /** Form of latent attention; null for everything else. */
  readonly form: LatentForm | null
  /** Where experts lie; null for everything else. */
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
      ...projectionUse(projection).caches.flatMap((cache) =>
        [null, ...latentForms].map((form) => layoutFields(projection, { cache, form })),
      ),
      ...placesBeside(projection).map((places) => layoutFields(projection, { places })),
    ])
    .map((fields) => [fields.name, fields] as const),
)

/** The layout that a plan names; null when there is no such layout. */
export function fieldsNamed(name: string): LayoutFields | null {
  return named.get(name) ?? null
}

/** Whether a plan means a layout of such a name; where it says no form of latent attention, either may be meant. */
export function isMeant(asked: string, name: string): boolean {
  return name === asked || latentForms.some((form) => name === `${asked}/${form}`)
}

/** Whether a layout differs on this mesh from those before it in the tables: what is sharded over one chip is not sharded. */
export function isDistinct({ projection, cache, places }: LayoutFields, mesh: Mesh): boolean {
  const { projections: ownProjections, caches: ownCaches } = distinctOn(mesh)
  if (!ownProjections.has(projection) || (cache !== null && !ownCaches.has(cache))) return false
  return places === null || expertPlaceRows.some(({ name, on }) => name === places && on(mesh))
}

interface Distinct {
  readonly projections: ReadonlySet<ProjectionLayout>
  readonly caches: ReadonlySet<CacheLayout>
}

function distinctOn(mesh: Mesh): Distinct {
  let active = 0
  for (const { name } of axisRows) if (mesh[name] > 1) active |= axisBit[name]
  return distinctFor(active)
}

/** By the set of axes that have more than one chip. */
const distinctFor = remembered((active: number): Distinct => {
  return { projections: firstOfEach(projections, active), caches: firstOfEach(caches, active) }
})

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

/** A row as text, in which axes of one chip are left out after each underscore. */
function readOn(row: object, active: number): string {
  return Object.entries(row)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, column]: readonly [string, string]) =>
      column.replaceAll(/_([A-Z]+)/g, (_, letters: string) => {
        const left = axisRows.filter(({ name, letter }) => letters.includes(letter) && active & axisBit[name])
        return left.length > 0 ? `_${left.map(({ letter }) => letter).join('')}` : ''
      }),
    )
    .join(' | ')
}

/** Number of groups of tensor chips that have sequences of their own while attention runs. */
export function sequenceGroups(cache: CacheLayout, mesh: Mesh): number {
  const { sequences } = caches[cache]
  return (sequences.includes('Y') ? mesh.tensor : 1) * (sequences.includes('Z') ? mesh.tensor2 : 1)
}

/**
 * Whether attention is to have its weights copied for groups of sequences on a mesh that makes one group of all tensor chips. Nothing is copied
 * then: it would be attention in 1d between streams by sequences, in which attention is not offered.
 */
export function copiesForOne(
  { projection, cache }: Pick<LayoutFields, 'projection' | 'cache'>,
  mesh: Mesh,
): boolean {
  if (cache === null || !projectionUse(projection).copied) return false
  return mesh.tensor * mesh.tensor2 > 1 && sequenceGroups(cache, mesh) === 1
}

/** The axes whose chips have sequences of their own while attention runs, or where the stream is normed. */
export function axesOfSequences({
  projection,
  cache,
}: Pick<LayoutFields, 'projection' | 'cache'>): readonly Axis[] {
  const { normed } = projectionUse(projection)
  const tokens = cache === null ? normed : `${normed} ${caches[cache].sequences}`
  return axesOfArray(shardedArray('sequences', 'cache', tokens))
}

/** Whether all tensor chips share out the heads of the cache, and hold copies where there are fewer heads than chips. */
export function sharesOutHeads(cache: CacheLayout): boolean {
  return caches[cache].heads === caches.heads.heads
}

/** Whether all tensor chips share out the positions of the cache (flash decoding). */
export function sharesOutPositions(cache: CacheLayout): boolean {
  return caches[cache].positions !== caches.heads.positions
}

/** Whether the layout treats tensor and tensor2 alike, so that only their product counts. */
export function joinsTensors({ projection, cache }: LayoutFields): boolean {
  return projectionUse(projection).joinsTensors && (cache === null || sharesOverBoth(caches[cache]))
}

/** Whether all that lies over one of the tensor axes lies over the other too. */
function sharesOverBoth(row: Cache): boolean {
  return Object.values(row).every((column) => column.includes('Y') === column.includes('Z'))
}
