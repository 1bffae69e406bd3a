/** A cost model under other assumptions about how fast things are. */
import type { Assumptions } from '../assumptions/assumptions.ts'
import type { CostModel } from './model.ts'
import { posed } from './posed.ts'

/** Assumptions that are in no compiled term: rates, shares that overlap, overheads. */
export const reassumable = [
  'sustainedShare',
  'overlapCriticalPath',
  'overlapPrefetched',
  'hbmEfficiency',
  'scaleUpEfficiency',
  'scaleOutEfficiency',
  'layerOverheadSeconds',
  'expertLayerOverheadSeconds',
  'stepOverheadSeconds',
] as const satisfies readonly (keyof Assumptions)[]

export type Reassumable = (typeof reassumable)[number]

export type Constants = Readonly<Partial<Record<Reassumable, number>>>

export function reassumed(model: CostModel, constants: Constants): CostModel {
  const { problem } = model
  return posed(model, { ...problem, assumptions: { ...problem.assumptions, ...constants } })
}
