/** Ways in which attention meets keys that the context axis shards, looked up by name. */
import type { Transformer } from '../../model/transformer.ts'
import { rowsByName } from '../../recipe/rows.ts'
import type { Mesh } from '../axis.ts'
import type { ContextLayoutRow } from './context-layout-row.ts'
import { type ContextLayout, contextLayoutRows } from './context-layouts.ts'

export const contextLayouts: readonly ContextLayout[] = contextLayoutRows.map(({ name }) => name)

/** The layout that every mesh has; the others need a context axis. */
export const plainContext: ContextLayout = contextLayoutRows[0].name

export const contextLayoutRow: (name: ContextLayout) => ContextLayoutRow =
  rowsByName<ContextLayoutRow>(contextLayoutRows)

/** Layouts differ only where there is a context axis. */
export function contextLayoutFits(layout: ContextLayout, mesh: Mesh, model: Transformer): boolean {
  if (layout === plainContext) return true
  return mesh.context > 1 && (contextLayoutRow(layout).needs?.fits(mesh, model) ?? true)
}
