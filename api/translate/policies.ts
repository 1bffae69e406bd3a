/** Rematerialisation policies are named in requests: an unknown name is told, with the nearest ones. */
import { policies } from '../../src/cost/policies.ts'
import { nearest } from '../nearest.ts'
import { faultyValue, meaning } from '../problems.ts'
import type { Sketch } from '../schemas/sketch.ts'
import type { TrainRequest } from '../schemas/train-workload.ts'

const names = policies.map(({ name }) => name)

export function refuseUnknownPolicies(allowed: TrainRequest['rematerialization']): void {
  for (const [at, policy] of (allowed ?? []).entries())
    refuseUnknown(`/workload/rematerialization/${at}`, policy)
}

export function refuseUnknownPoliciesOf({ rematerialization }: Sketch): void {
  const pointer = '/plan/rematerialization'
  if (typeof rematerialization === 'string') {
    refuseUnknown(pointer, rematerialization)
    return
  }
  for (const [at, { policy }] of (rematerialization ?? []).entries()) {
    refuseUnknown(`${pointer}/${at}/policy`, policy)
  }
}

function refuseUnknown(pointer: string, policy: string): void {
  if (names.includes(policy)) return
  const suggestions = nearest(policy, names)
  const meant = meaning(pointer, suggestions)
  const detail = `no policy is named ${policy}; there are ${names.join(', ')}`
  throw faultyValue('unknown-name', { pointer, detail, suggestions, ...meant })
}
