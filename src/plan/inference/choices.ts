/** What an inference candidate chooses, as a plan says it: its layouts by name, where its axes lie, a line, and an id that follows from these. */
import type { InferenceModel } from '../../inference/model.ts'
import type { InferenceCandidate } from '../../inference/phase.ts'
import { axisPlacements } from '../account/placement.ts'
import { meshText } from '../explain/summary.ts'
import { planId } from '../identity.ts'
import type { AxisPlacement } from '../plan.ts'

export interface Choices {
  readonly id: string
  readonly summary: string
  readonly placement: readonly AxisPlacement[]
  /** Layout name of each component. */
  readonly names: Readonly<Record<string, string>>
}

export function choicesOf({ components, setting }: InferenceModel, candidate: InferenceCandidate): Choices {
  const { mesh, pass, layouts } = candidate
  const placement = axisPlacements(candidate.placement, mesh, setting.cluster)
  const names = Object.fromEntries(layouts.map(({ name }, index) => [components[index]?.name ?? '', name]))
  return {
    id: planId([mesh, names, placement, pass.resident.sequences, pass.units]),
    summary: summary(candidate, names),
    placement,
    names,
  }
}

function summary({ mesh, pass }: InferenceCandidate, names: Choices['names']): string {
  const layouts = Object.entries(names).map(([component, name]) => `${component} ${name}`)
  return [
    meshText(mesh),
    ...layouts,
    `batch ${pass.resident.sequences}`,
    ...(pass.halves === 2 ? ['in two halves'] : pass.units > 1 ? [`${pass.units} groups`] : []),
  ].join(', ')
}
