/** Turns a validated request into a problem of its mode: looks names up, fills defaults in, rejects impossible combinations. */
import type { Transformer } from '../../src/model/transformer.ts'
import type { Question } from '../../src/modes/question.ts'
import type { Catalogue } from '../catalogue.ts'
import { faultyValue } from '../problems.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import { refuseMisplaced } from './misplaced.ts'
import { refuseUncounted } from './policies.ts'
import { settingOf } from './setting.ts'
import { generateOf, prefillOf, serveOf } from './workload/inference.ts'
import { trainWorkloadOf } from './workload/train.ts'

export type Translation = Question & { readonly warnings: readonly string[] }

export function problemOf(request: OptimizeRequest, catalogue: Catalogue): Translation {
  const { setting, warnings } = settingOf(request, catalogue)
  const { workload } = request
  const { mode } = workload
  refuseMisplaced(request.constraints, mode)
  if (request.objective === 'robust' && mode !== 'train') {
    const detail = 'objective robust exists only in mode train'
    throw faultyValue('impossible-combination', { pointer: '/objective', detail })
  }
  switch (mode) {
    case 'train': {
      const problem = { ...setting, workload: trainWorkloadOf(workload) }
      refuseUncounted(workload.rematerialization, setting)
      const long = lengthWarnings(problem.workload.sequenceLength, setting.model)
      return { mode, problem, warnings: [...warnings, ...long] }
    }
    case 'prefill':
      return { mode, problem: { ...setting, workload: prefillOf(workload) }, warnings }
    case 'generate': {
      const generation = generateOf(workload, setting.model, catalogue)
      const problem = { ...setting, workload: generation.workload }
      return { mode, problem, warnings: [...warnings, ...generation.warnings] }
    }
    case 'serve': {
      const serving = serveOf(workload, setting.model, catalogue)
      const problem = { ...setting, workload: serving.workload }
      return { mode, problem, warnings: [...warnings, ...serving.warnings] }
    }
  }
}

function lengthWarnings(length: number, { name, maxSequenceLength }: Transformer): readonly string[] {
  if (maxSequenceLength === undefined || length <= maxSequenceLength) return []
  return [`Sequences of ${length} tokens exceed the maximum of ${maxSequenceLength} of ${name}.`]
}
