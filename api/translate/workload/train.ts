/** Turns the training workload of a request into that of the domain. */
import { present } from '../../../src/fields.ts'
import type { TrainWorkload } from '../../../src/problem.ts'
import type { TrainRequest } from '../../schemas/workload/train-workload.ts'
import { refuseUnknownPolicies } from '../policies.ts'

export function trainWorkloadOf(workload: TrainRequest): TrainWorkload {
  const { mode, batchTokens, batchSequences = 0, sequenceLength, optimizer, rematerialization } = workload
  refuseUnknownPolicies(rematerialization)
  return {
    mode,
    batchTokens: batchTokens ?? batchSequences * sequenceLength,
    sequenceLength,
    optimizer,
    ...present({ rematerialization, schedules: workload.schedule }),
  }
}
