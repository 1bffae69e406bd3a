/**
 * Adds to a list the best plan on a mesh of some kind, such as those that somebody has run, if the first plan is on a mesh of another. A
 * list has only the best plan of each family, and may hide one that is hardly slower and surer.
 */
import type { CostModel } from '../cost/model.ts'
import type { Crew } from '../crew.ts'
import type { Stop } from '../patience.ts'
import type { Mesh } from '../sharding/axis.ts'
import type { Accepts, Candidate } from './layouts/candidate.ts'
import { enumerateMeshes } from './meshes/meshes.ts'
import { createWorkbench, searchSpaces, spaceOf } from './search.ts'

/** A plan that takes longer than the first by a larger share is not looked for. */
const nearby = 0.1

interface Within {
  readonly top: number
  readonly isWithin: (mesh: Mesh) => boolean
  readonly acceptsOf: (model: CostModel) => Accepts | null
  readonly stop: Stop
  readonly crew: Crew
}

/** The list with the best plan of the kind in it, on all the chips; a full list loses its last for it. */
export function withBestWithin(
  models: readonly CostModel[],
  candidates: readonly Candidate[],
  { top, isWithin, acceptsOf, stop, crew }: Within,
): readonly Candidate[] {
  const [first] = candidates
  if (!first || top < 2 || isWithin(first.mesh)) return candidates
  const known = candidates.find(({ mesh }) => isWithin(mesh))?.score ?? Number.POSITIVE_INFINITY
  const spaces = models.map((model) => {
    const accepts = acceptsOf(model)
    const all = enumerateMeshes(model.problem)
    // Floors are asked of these alone, which are few.
    const allowed = all.allowed.filter((mesh) => isWithin(mesh) && accepts?.mesh(mesh) !== null)
    return spaceOf(createWorkbench(model, accepts, stop), { ...all, allowed })
  })
  const most = Math.min(known, first.score * (1 + nearby))
  const [found] = searchSpaces(spaces, 1, stop, { most, fits: true, crew }).candidates
  if (!found || found.score >= known) return candidates
  return [...candidates.slice(0, top - 1), found].sort((a, b) => a.score - b.score)
}
