/** Rules for rematerialisation policies that somebody wrote. */
import { policyNames, policyNamesWith } from '../recipe/policy.ts'
import { type LayoutRead, type LayoutRule, total } from './layout-rule.ts'
import { leftOut, type Way } from './part-rule.ts'

export const policyRules: readonly LayoutRule[] = [
  {
    reads: ['rematerialization'],
    broken: (read) => unknownPolicies(read).length > 0,
    says: (read) => {
      const unknown = unknownPolicies(read)
      const names = offered(read).join(', ')
      const [subject, verb] = unknown.length > 1 ? ['the policies', 'are'] : ['the policy', 'is']
      return `${subject} ${unknown.join(' and ')} ${verb} not known of this model under these assumptions: ${names}`
    },
    pointer: '/plan/rematerialization',
    nearest: (read): readonly Way[] =>
      offered(read).map((value) => [{ pointer: '/plan/rematerialization', value }]),
  },
  {
    reads: ['rematerialization'],
    broken: (read) => policiesOf(read).length > 2,
    says: 'a plan mixes at most two policies',
    pointer: '/plan/rematerialization',
    nearest: () => leftOut('rematerialization'),
  },
  {
    reads: ['rematerialization'],
    broken: (read) => {
      const { layers } = read.problem.model
      return (
        read.sketch.rematerialization !== undefined && Math.abs(policyLayers(read) - layers) > 1e-9 * layers
      )
    },
    says: (read) =>
      `the policies add up to ${policyLayers(read)} layers; the model has ${read.problem.model.layers}`,
    pointer: '/plan/rematerialization',
    nearest: () => leftOut('rematerialization'),
  },
  {
    reads: ['rematerialization'],
    broken: (read) =>
      !read.problem.assumptions.tokensDivideFreely &&
      !policiesOf(read).every(({ layers }) => Number.isInteger(layers)),
    says: 'numbers of layers have to be whole (unless assumptions.tokensDivideFreely)',
    pointer: '/plan/rematerialization',
    nearest: () => leftOut('rematerialization'),
  },
]

/** The policies that a plan names, with their layers; none where it leaves them open. */
export function policiesOf({
  problem: { model },
  sketch: { rematerialization = [] },
}: Pick<LayoutRead, 'problem' | 'sketch'>) {
  return typeof rematerialization === 'string'
    ? [{ policy: rematerialization, layers: model.layers }]
    : rematerialization
}

function policyLayers(read: LayoutRead): number {
  return total(policiesOf(read).map(({ layers }) => layers))
}

function offered({ problem: { model, assumptions } }: Pick<LayoutRead, 'problem'>): readonly string[] {
  return policyNames(assumptions.activations, model)
}

function unknownPolicies(read: LayoutRead): readonly string[] {
  const { model, assumptions } = read.problem
  const said = policiesOf(read).map(({ policy }) => policy)
  const known = policyNamesWith(said, assumptions.activations, model)
  return said.filter((name) => !known.includes(name))
}
