/**
 * Rules for a written placement that matches no placement of the mesh: one for each field of an entry, in the order in
 * which they are compared; the first that no placement agrees with is the fault. A field that an entry leaves out may
 * be anything. An axis with an `on` lies nowhere else.
 */
import type { Cluster } from '../hardware/cluster/cluster.ts'
import type { AxisPlacement } from '../plan/plan.ts'
import type { AxisPlacementSketch } from '../plan-sketch.ts'
import type { PartRule } from './part-rule.ts'

/** Where each axis lies in one placement, in the form in which an answer gives it. */
export type Lines = readonly AxisPlacement[]

export interface EntryRead {
  /** Position of the entry in the plan's `placement`. */
  readonly index: number
  readonly entry: AxisPlacementSketch
  /** Placements that agree with all earlier entries. */
  readonly left: readonly Lines[]
  readonly network: Cluster['network']
}

export type PlacementRule<Read> = PartRule<Read, 'mesh' | 'placement'>

interface Said {
  readonly field: 'on' | 'physical' | 'parts' | 'wraps'
  readonly alike: (entry: AxisPlacementSketch, line: AxisPlacement) => boolean
  readonly says: (read: EntryRead) => string
}

const said: readonly Said[] = [
  {
    field: 'on',
    alike: (entry, line) => entry.on === line.on,
    says: ({ entry: { axis, on }, network }) =>
      `no placement of this mesh has ${axis} on ${on}; the networks are ${reaches(network)}`,
  },
  {
    field: 'physical',
    alike: (entry, line) => sameSet(entry.physical, line.physical),
    says: ({ entry: { axis }, network }) =>
      network.kind === 'switched'
        ? `no order of ranks makes ${axis} span exactly these tiers (0 is ${reaches(network)[0]})`
        : 'no placement of this mesh puts the axis on these physical axes, given the entries before it',
  },
  {
    field: 'parts',
    alike: (entry, line) => sameSet(keysOf(entry.parts), keysOf(line.parts)),
    says: ({ entry: { axis }, network }) =>
      network.kind === 'switched'
        ? 'parts exist only on a torus'
        : `no placement of this mesh has these parts for ${axis}, given the entries before it`,
  },
  {
    field: 'wraps',
    alike: (entry, line) => entry.wraps === line.wraps,
    says: ({ entry: { axis, on } }) =>
      `the wraps of ${axis}${on ? ` on ${on}` : ''} are wrong: leave them out`,
  },
]

export const entryRules: readonly PlacementRule<EntryRead>[] = said.map(({ field, says }, at) => ({
  reads: ['mesh', 'placement'],
  broken: ({ entry, left }) =>
    entry[field] !== undefined && !left.some((lines) => agrees(entry, lines, said.slice(0, at + 1))),
  says,
  pointer: ({ index }) => `/plan/placement/${index}/${field}`,
}))

/** Whether a placement is as an entry says. */
export function agrees(entry: AxisPlacementSketch, lines: Lines, fields: readonly Said[] = said): boolean {
  const own = lines.filter(({ axis }) => axis === entry.axis)
  // If an axis lies both on the torus and across slices, an entry without `on` means the torus.
  const meant = entry.on === undefined ? own.slice(0, 1) : own
  if (own.length === 0) return entry.on === undefined && entry.physical.length === 0
  return meant.some((line) =>
    fields.every(({ field, alike }) => entry[field] === undefined || alike(entry, line)),
  )
}

export interface WholeRead {
  readonly wanted: readonly AxisPlacementSketch[]
  /** Placements that agree with every entry. */
  readonly left: readonly Lines[]
}

export const wholeRule: PlacementRule<WholeRead> = {
  reads: ['mesh', 'placement'],
  broken: ({ wanted, left }) => !left.some((lines) => isWhole(wanted, lines)),
  says: 'an entry of an axis is missing or given twice: give every network that an axis is on exactly once',
  pointer: '/plan/placement',
}

/** Whether the entries for each axis that is mentioned cover all of its lines in the placement, each once. */
export function isWhole(wanted: readonly AxisPlacementSketch[], lines: Lines): boolean {
  return wanted.every(({ axis }) => {
    const entries = wanted.filter((entry) => entry.axis === axis)
    const own = lines.filter((line) => line.axis === axis)
    return entries.length === own.length || (entries.length === 1 && entries[0]?.on === undefined)
  })
}

function reaches(network: Cluster['network']): readonly string[] {
  if (network.kind === 'switched') return network.tiers.map(({ name }) => name)
  return network.slices > 1 ? ['ici', 'dcn'] : ['ici']
}

function sameSet<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item))
}

function keysOf(parts: AxisPlacement['parts'] = []): readonly string[] {
  return parts.map(({ physical, size, stride }) => `${physical} ${size} ${stride}`)
}
