/**
 * What a list tells apart. Of plans that are alike the best is listed, so that a list of families has so many ideas, where a list
 * of meshes may have one idea with ten numbers of replicas.
 *
 *   family   along which axes the model is cut up: tensor, context, expert, pipeline. Their sizes, how replicas share states, how
 *            many chips stand idle, microbatches, schedules and what is recomputed are chosen within
 *   mesh     all seven axes
 *   layout   of training, ZeRO stage, way of context parallelism, microbatches and schedule as well
 */
import type { Distinct } from '../problem.ts'
import type { Mesh } from '../sharding/axis.ts'
import { type Layout, meshKey } from './layouts/candidate.ts'

/** What there is where nothing is said. */
export const usualDistinct: Distinct = 'mesh'

/** Of each, a text that only those that are alike share; what of it the mesh alone tells. */
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

/** Null where plans of one mesh are told apart. */
export function meshKeyOf(distinct: Distinct): ((mesh: Mesh) => string) | null {
  const { ofMesh, whole } = keys[distinct]
  return whole ? null : ofMesh
}

/** Which axes cut the model up. No layout of one mesh tells tensor from tensor2. */
export function familyKey({ tensor, tensor2, context, expert, pipeline }: Mesh): string {
  return [tensor * tensor2, context, expert, pipeline].map((size) => (size > 1 ? 1 : 0)).join('')
}

function layoutKey({ mesh, zeroStage, contextLayout, microbatches, schedule }: Parameters<KeyOf>[0]): string {
  return JSON.stringify([meshKey(mesh), zeroStage, contextLayout, microbatches, schedule])
}
