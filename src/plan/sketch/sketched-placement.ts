/**
 * Which placements of a mesh a written plan means: those of which an answer (placement.ts) would say what the plan says. What
 * an entry leaves out may be anything; an axis that says what it lies `on` lies nowhere else. Behind switches rank orders
 * that span the same tiers are told alike, and all of them are meant.
 */
import { type Placement, placements } from '../../hardware/network/placement.ts'
import type { AxisPlacementSketch, PlanSketch, Setting } from '../../problem.ts'
import type { PlanFault } from '../../rules/part-rule.ts'
import { axisPlacements } from '../account/placement.ts'
import type { AxisPlacement } from '../plan.ts'

export interface MeantPlacements {
  readonly meant: readonly Placement[]
  /** Why none is. */
  readonly faults: readonly PlanFault[]
}

/** In the order in which they are held against a placement: the first that none agrees with is the fault. */
const said = ['on', 'physical', 'parts', 'wraps'] as const
type Said = (typeof said)[number]

export function sketchedPlacements(
  { cluster }: Pick<Setting, 'cluster'>,
  { mesh, placement: wanted }: Pick<PlanSketch, 'mesh' | 'placement'>,
): MeantPlacements {
  const all = placements(cluster.network, mesh)
  if (!wanted) return { meant: all, faults: [] }
  let left = all.map((placement) => ({ placement, lines: axisPlacements(placement, mesh, cluster) }))
  for (const [index, entry] of wanted.entries()) {
    for (const [at, field] of said.entries()) {
      if (entry[field] === undefined) continue
      const fields = said.slice(0, at + 1)
      const agreeing = left.filter(({ lines }) => agrees(entry, lines, fields))
      if (agreeing.length === 0) {
        const pointer = `/plan/placement/${index}/${field}`
        return { meant: [], faults: [{ pointer, detail: disagreement(entry, field, cluster) }] }
      }
      left = agreeing
    }
  }
  const whole = left.filter(({ lines }) => wanted.every(({ axis }) => saysAll(axis, wanted, lines)))
  const detail = 'axes lie elsewhere as well, or stand twice: every entry of an axis has to be there once'
  return whole.length > 0
    ? { meant: whole.map(({ placement }) => placement), faults: [] }
    : { meant: [], faults: [{ pointer: '/plan/placement', detail }] }
}

function agrees(
  entry: AxisPlacementSketch,
  lines: readonly AxisPlacement[],
  fields: readonly Said[],
): boolean {
  const own = lines.filter(({ axis }) => axis === entry.axis)
  // Of an axis on a torus and across slices, an entry that does not say which means the torus.
  const meant = entry.on === undefined ? own.slice(0, 1) : own
  if (own.length === 0) return entry.on === undefined && entry.physical.length === 0
  return meant.some((line) => fields.every((field) => alike(field, entry, line)))
}

function alike(field: Said, entry: AxisPlacementSketch, line: AxisPlacement): boolean {
  if (entry[field] === undefined) return true
  if (field === 'physical') return sameSet(entry.physical, line.physical)
  if (field === 'parts') return sameSet(keysOf(entry.parts), keysOf(line.parts))
  return entry[field] === line[field]
}

function sameSet<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item))
}

function keysOf(parts: AxisPlacement['parts'] = []): readonly string[] {
  return parts.map(({ physical, size, stride }) => `${physical} ${size} ${stride}`)
}

function saysAll(
  axis: AxisPlacement['axis'],
  wanted: readonly AxisPlacementSketch[],
  lines: readonly AxisPlacement[],
): boolean {
  const entries = wanted.filter((entry) => entry.axis === axis)
  const own = lines.filter((line) => line.axis === axis)
  return entries.length === own.length || (entries.length === 1 && entries[0]?.on === undefined)
}

function disagreement(
  { axis, on }: AxisPlacementSketch,
  field: Said,
  { network }: Setting['cluster'],
): string {
  const where =
    network.kind === 'torus'
      ? network.slices > 1
        ? ['ici', 'dcn']
        : ['ici']
      : network.tiers.map(({ name }) => name)
  if (field === 'on') return `no placement of the mesh has ${axis} reach as far as ${on}; there are ${where}`
  if (field === 'wraps')
    return `${axis} ${on ? `on ${on} ` : ''}does not close, or not fail to close, as said`
  if (network.kind === 'switched') {
    return field === 'parts'
      ? 'only on a torus do axes have parts'
      : `no order of ranks has ${axis} span these tiers (0 is ${where[0]})`
  }
  return field === 'parts'
    ? `no placement of the mesh has these parts for ${axis}, with the axes before it as said`
    : 'no placement of the mesh puts these axes on these physical axes'
}
