/**
 * What must differ between two plans for a list to show both. Of plans that count as the same the best is listed, so that a list of
 * families has as many ideas, where a list of meshes may have one idea with ten numbers of replicas.
 *
 *   family   along which axes the model is cut up: tensor, context, expert, pipeline. Their sizes, how replicas share states, how
 *            many chips stand idle, microbatches, schedules and what is recomputed are chosen within
 *   mesh     all seven axes
 *   layout   in training also ZeRO stage, way of context parallelism, microbatches and schedule
 */
import type { Distinct } from '../problem.ts'
import { familyKey, type Mesh, meshKey } from '../sharding/axis.ts'
import type { Layout } from './layouts/candidate.ts'

/** What a request has that does not say. */
export const usualDistinct: Distinct = 'mesh'

/** For each kind, a text that is equal for plans that count as the same; `ofMesh` is the part that the mesh alone decides. */
const keys: Readonly<Record<Distinct, { readonly ofMesh: (mesh: Mesh) => string; readonly whole?: KeyOf }>> =
  {
    family: { ofMesh: familyKey },
    mesh: { ofMesh: meshKey },
    layout: { ofMesh: meshKey, whole: layoutKey },
  }

type KeyOf = (layout: Pick<Layout, 'mesh'> & Partial<Layout>) => string

export function keyOf(distinct: Distinct): KeyOf {
  const { ofMesh, whole } = keys[distinct]
  return whole ?? (({ mesh }) => ofMesh(mesh))
}

/** Null when plans of one mesh may both be listed. */
export function meshKeyOf(distinct: Distinct): ((mesh: Mesh) => string) | null {
  const { ofMesh, whole } = keys[distinct]
  return whole ? null : ofMesh
}

function layoutKey({ mesh, zeroStage, contextLayout, microbatches, schedule }: Parameters<KeyOf>[0]): string {
  return JSON.stringify([meshKey(mesh), zeroStage, contextLayout, microbatches, schedule])
}
