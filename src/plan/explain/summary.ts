/** A plan in one line, and its layers by rematerialisation policy. */
import { compact } from '../../compact.ts'
import type { CostModel } from '../../cost/model.ts'
import { keepEverything } from '../../recipe/policy.ts'
import { type Schedule, scheduleRow } from '../../recipe/schedule.ts'
import type { Candidate } from '../../search/layouts/candidate.ts'
import { activeAxes, type Mesh } from '../../sharding/axis.ts'
import { plainContext } from '../../sharding/tables/context-layout.ts'

export interface PolicyLayers {
  readonly policy: string
  readonly layers: number
}

/** Number of layers under each policy, over all stages. */
export function layersByPolicy(
  model: CostModel,
  { mix, stageLayers }: Pick<Candidate, 'mix' | 'stageLayers'>,
): readonly PolicyLayers[] {
  const again = stageLayers.reduce((sum, layers) => sum + Math.min(mix.count, layers), 0)
  const all = stageLayers.reduce((sum, layers) => sum + layers, 0)
  const name = (policy: number) => model.policies[policy]?.name ?? keepEverything.name
  return [
    { policy: name(mix.policy), layers: all - again },
    { policy: name(mix.other), layers: again },
  ].filter(({ layers }) => layers > 0)
}

export function summary(model: CostModel, candidate: Candidate): string {
  const { mesh, zeroStage, contextLayout, microbatches, schedule } = candidate
  const parts = compact(
    meshText(mesh),
    mesh.context > 1 && contextLayout !== plainContext && `${contextLayout} attention`,
    (zeroStage === 1 || zeroStage === 2) && `ZeRO-${zeroStage}`,
    scheduleRow(schedule).pipelined && scheduleText(schedule),
    microbatches > 1 && `${microbatches} microbatches`,
    rematText(layersByPolicy(model, candidate)),
  )
  return parts.join(', ')
}

export function meshText(mesh: Mesh): string {
  return (
    activeAxes(mesh)
      .map((axis) => `${axis} ${mesh[axis]}`)
      .join(' x ') || 'one chip'
  )
}

export function scheduleText({ name, virtualStages }: Schedule): string {
  return virtualStages > 1 ? `${name} x ${virtualStages}` : name
}

export function rematText(policies: readonly PolicyLayers[]): string {
  const all = policies.reduce((sum, { layers }) => sum + layers, 0)
  const used = policies.filter(({ policy }) => policy !== keepEverything.name)
  if (used.length === 0) return 'no remat'
  return used
    .map(({ policy, layers }) => `${policy} remat on ${Number(layers.toFixed(2))} of ${all} layers`)
    .join(', ')
}
