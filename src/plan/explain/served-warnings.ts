/** Warnings that phases and deployments have in common. */
import { servers } from '../../launch/framework.ts'
import { serversOf } from '../../launch/serving.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Setting } from '../../problem.ts'
import { kindWarning } from './launch-warning.ts'

/** If none of the assumed frameworks serves from such chips. */
export function serverWarning(setting: Setting): string | null {
  const { frameworks } = setting.assumptions
  return kindWarning(frameworks, serversOf(setting, servers), 'serves a model from such chips')
}

export function lengthWarning({ name, maxSequenceLength }: Transformer, positions: number): string | null {
  if (maxSequenceLength === undefined || positions <= maxSequenceLength) return null
  return `${positions} positions exceed the maximum of ${maxSequenceLength} of ${name}`
}

export function unfittedWarning({ assumptions, cluster }: Setting): string | null {
  if (assumptions.basis !== 'calibrated' || cluster.chip.kind !== 'tpu') return null
  return 'TPU efficiencies and overheads are starting values, not fitted to measurements of inference'
}
