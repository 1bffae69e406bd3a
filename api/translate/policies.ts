/** Checks the names of rematerialisation policies in requests; an unknown one is reported with similar names. */
import type { Setting } from '../../src/problem.ts'
import { composedPlaces } from '../../src/recipe/composed-policy.ts'
import { policyNames, policyRows } from '../../src/recipe/policy.ts'
import { nearest } from '../hints/nearest.ts'
import { faultyValue, meaning } from '../problems.ts'
import type { Sketch } from '../schemas/given/sketch.ts'
import type { TrainRequest } from '../schemas/workload/train-workload.ts'

const names = policyRows.map(({ name }) => name)

export function refuseUnknownPolicies(allowed: TrainRequest['rematerialization']): void {
  for (const [at, policy] of (allowed ?? []).entries())
    refuseUnknown(`/workload/rematerialization/${at}`, policy)
}

/** The book's table of activations has only some policies, and some are for latent attention alone; no others can be costed. */
export function refuseUncounted(
  allowed: TrainRequest['rematerialization'],
  { model, assumptions }: Pick<Setting, 'model' | 'assumptions'>,
): void {
  const { activations, policies: assumed } = assumptions
  const counted = policyNames(activations, model)
  const where =
    activations === 'book'
      ? "is not counted by the book's table of activations, which"
      : 'is not of this model, which'
  const told = `${where} has ${counted.join(', ')}`
  const at = allowed?.findIndex((policy) => !counted.includes(policy)) ?? -1
  if (at >= 0) {
    const pointer = `/workload/rematerialization/${at}`
    throw faultyValue('impossible-combination', { pointer, detail: `${allowed?.[at]} ${told}` })
  }
  if (allowed || assumed.some((policy) => counted.includes(policy))) return
  const detail = `${assumed.join(', ') || 'no policy'} ${told}`
  throw faultyValue('impossible-combination', { pointer: '/assumptions/policies', detail })
}

export function refuseUnknownPoliciesOf({ rematerialization }: Sketch): void {
  const pointer = '/plan/rematerialization'
  if (typeof rematerialization === 'string') {
    refuseUnknownOfPlan(pointer, rematerialization)
    return
  }
  for (const [at, { policy }] of (rematerialization ?? []).entries()) {
    refuseUnknownOfPlan(`${pointer}/${at}/policy`, policy)
  }
}

/** A plan may also compose a policy of the arrays that it keeps. */
function refuseUnknownOfPlan(pointer: string, policy: string): void {
  if (!composedPlaces(policy)) refuseUnknown(pointer, policy)
}

function refuseUnknown(pointer: string, policy: string): void {
  if (names.includes(policy)) return
  const suggestions = nearest(policy, names)
  const meant = meaning(pointer, suggestions)
  const detail = `no policy is named ${policy}; there are ${names.join(', ')}`
  throw faultyValue('unknown-name', { pointer, detail, suggestions, ...meant })
}
