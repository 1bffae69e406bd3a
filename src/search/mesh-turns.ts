/** Meshes of one or more cost models in the order of their floors, and one of them searched through. */
import { concatenated } from '../concatenated.ts'
import type { Crew } from '../crew.ts'
import { once } from '../known.ts'
import type { Stop } from '../patience.ts'
import type { Mesh } from '../sharding/axis.ts'
import { type Ordered, ordered, type Turn } from './best-first.ts'
import type { Floors } from './bound/floor.ts'
import type { Candidate } from './layouts/candidate.ts'
import { layoutCount } from './layouts/choices.ts'
import type { Choices, Expansion, Workbench } from './layouts/consider.ts'
import { expandMesh } from './layouts/expand.ts'
import type { Meshes } from './meshes/meshes.ts'
import { compareKeys, type Listed } from './search-result.ts'
import { spread } from './spread.ts'

/** The meshes of one cost model, and the workbench that they are searched with. */
export interface Space {
  readonly bench: Workbench
  readonly meshes: Meshes
  readonly floors: Floors
}

export interface MeshPlace {
  readonly space: number
  readonly bench: Workbench
  readonly mesh: Mesh
  readonly floors: Floors
}

export interface MeshTurn extends MeshPlace, Turn {}

export function placesOf(spaces: readonly Space[]): readonly MeshPlace[] {
  return concatenated(
    spaces.map(({ bench, meshes, floors }, space) =>
      spread(meshes.allowed).map((mesh): MeshPlace => ({ space, bench, mesh, floors })),
    ),
  )
}

/** Meshes in the order of their floors; one that can have nothing as good as `most` counts as pruned. */
export function orderedMeshes(
  places: readonly MeshPlace[],
  most: number,
  late: Stop,
  crew: Crew,
): Ordered<MeshTurn> {
  return ordered<MeshPlace, MeshTurn, number>(
    {
      places,
      look: ({ floors, mesh, bench: { scale } }) => {
        if (most !== noLimit && !floors.hopeful(mesh, scale, most)) return noLimit
        return floors.of(mesh, scale)
      },
      turnOf: ({ space, bench, mesh, floors }, floor) => ({ space, bench, mesh, floors, floor }),
      count: countOf,
      compare: inSpaces,
      most,
    },
    late,
    crew,
  )
}

/** Orders meshes whose floors are equal. */
function inSpaces(a: MeshPlace, b: MeshPlace): number {
  return a.space - b.space || compareKeys(a.mesh, b.mesh)
}

export function countOf({ bench, mesh }: MeshPlace): number {
  return layoutCount(mesh, bench.model.problem)
}

/**
 * Null if nothing on the mesh can both fit and score within the limit. Without a limit everything is looked at: while the list has room,
 * the counts say of each other layout why it cannot run, so that floors are asked only once something is found.
 */
export function expanded(
  { mesh, floors }: MeshTurn,
  bench: Workbench,
  limit: number,
  choices: Choices,
): Expansion | null {
  const within = once(() => floors.within(mesh, bench.scale, limit))
  if (limit !== noLimit && !within()) return null
  return expandMesh(bench, mesh, limit, {
    ...choices,
    floor: (...choice) => within()?.(...choice) ?? noLimit,
  })
}

export function listedAs({ space }: MeshTurn, candidate: Candidate): Listed {
  return { score: candidate.score, candidate, space }
}

const noLimit = Number.POSITIVE_INFINITY
