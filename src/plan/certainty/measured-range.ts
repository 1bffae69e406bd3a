/**
 * How far a training layout lies beyond all measured runs, in octaves (doublings), summed over the ways in which it is finer or wider than
 * they were. Costs may grow there that no run has shown, so that its difference to a layout that others have run is less sure (ties.ts).
 * Limits are those of the runs that predictions are compared with (fixtures/residuals.json, `ran`). NVIDIA's own guide adds context 2 from 8192
 * positions and 4 to 8 from 32 768, since shards of short sequences are narrow (NVIDIA-NeMo/Megatron-Bridge @067f987df0,
 * docs/parallelisms.md and docs/performance-guide.md).
 */
import type { Chip } from '../../hardware/chip.ts'
import { fullUnit } from '../../hardware/cluster/cluster.ts'
import type { Mesh } from '../../sharding/axis.ts'

/** What of a layout may go further than runs did. */
export interface Divided {
  readonly mesh: Mesh
  /** Chunks of each stage; left away where only the mesh is asked about. */
  readonly virtualStages?: number
}

/** A layout, with what its sizes are compared with. */
export interface Ran extends Divided {
  readonly sequenceLength: number
  readonly chip: Pick<Chip, 'system'>
}

interface RangeRow {
  readonly name: string
  /** Whether runs go down to a limit, or up to it. */
  readonly end: 'least' | 'most'
  /** Null where a layout has nothing of it. */
  readonly of: (ran: Ran) => number | null
  readonly says: (own: number, limit: number) => string
}

const rangeRows = [
  {
    name: 'positions',
    end: 'least',
    of: ({ mesh, sequenceLength }) => (mesh.context > 1 ? sequenceLength / mesh.context : null),
    says: (own, limit) =>
      `${Math.floor(own)} positions of a sequence on a chip, where runs had at least ${limit}`,
  },
  {
    name: 'tensorPerNode',
    end: 'most',
    of: ({ mesh: { tensor, tensor2 }, chip: { system } }) =>
      system.kind === 'switched' ? (tensor * tensor2) / fullUnit(system, tensor * tensor2) : null,
    says: (own, limit) => `tensor parallelism over ${own} nodes, where runs had at most ${limit}`,
  },
  {
    name: 'stages',
    end: 'most',
    of: ({ mesh }) => mesh.pipeline,
    says: (own, limit) => `${own} pipeline stages, where runs had at most ${limit}`,
  },
  {
    name: 'virtualStages',
    end: 'most',
    of: ({ virtualStages }) => virtualStages ?? null,
    says: (own, limit) => `${own} virtual stages on a chip, where runs had at most ${limit}`,
  },
  {
    name: 'expertRanks',
    end: 'most',
    of: ({ mesh }) => mesh.expert,
    says: (own, limit) => `experts over ${own} chips, where runs had at most ${limit}`,
  },
] as const satisfies readonly RangeRow[]

/** The ways in which a layout may go beyond what was run. */
export const ranges: readonly RangeRow[] = rangeRows

/** The ends of what was run; null for what no run had. */
export type RanLimits = Readonly<Record<(typeof rangeRows)[number]['name'], number | null>>

export interface Beyond {
  readonly octaves: number
  /** What the layout has that no run had. */
  readonly says: readonly string[]
}

export function beyondRuns(ran: Ran, limits: RanLimits): Beyond {
  const found = ranges.flatMap((row) => {
    const octaves = octavesBy(row, ran, limits)
    return octaves > 0 ? [{ octaves, says: row.says(row.of(ran) ?? 0, limitOf(row, limits) ?? 0) }] : []
  })
  return {
    octaves: found.reduce((sum, { octaves }) => sum + octaves, 0),
    says: found.map(({ says }) => says),
  }
}

/** Whether the layout is like some run in all of these ways: it makes no texts, as all meshes are asked. */
export function isWithinRuns(ran: Ran, limits: RanLimits): boolean {
  return ranges.every((row) => octavesBy(row, ran, limits) <= 0)
}

function octavesBy(row: RangeRow, ran: Ran, limits: RanLimits): number {
  const [own, limit] = [row.of(ran), limitOf(row, limits)]
  if (own === null || limit === null) return 0
  return Math.log2(row.end === 'least' ? limit / own : own / limit)
}

function limitOf({ name }: RangeRow, limits: RanLimits): number | null {
  return limits[name as keyof RanLimits]
}
