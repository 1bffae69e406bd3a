/** A way that attention meets keys which the context axis shards, by its name. */
import type { Transformer } from '../../model/transformer.ts'
import { rowsByName } from '../../recipe/rows.ts'
import type { Mesh } from '../axis.ts'
import type { ContextLayoutRow } from './context-layout-row.ts'
import { type ContextLayout, contextLayoutRows } from './context-layouts.ts'

export const contextLayouts: readonly ContextLayout[] = contextLayoutRows.map(({ name }) => name)

/** What every mesh has; the others are of meshes with a context axis alone. */
export const plainContext: ContextLayout = contextLayoutRows[0].name

export const contextLayoutRow: (name: ContextLayout) => ContextLayoutRow =
  rowsByName<ContextLayoutRow>(contextLayoutRows)

/** Only where there is a context axis do layouts differ. */
export function contextLayoutFits(layout: ContextLayout, mesh: Mesh, model: Transformer): boolean {
  if (layout === plainContext) return true
  return mesh.context > 1 && (contextLayoutRow(layout).needs?.fits(mesh, model) ?? true)
}
