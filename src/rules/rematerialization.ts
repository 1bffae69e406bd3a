/** Rules for rematerialisation policies that somebody wrote. */
import { policyNames } from '../recipe/policy.ts'
import { type LayoutRead, type LayoutRule, total } from './layout-rule.ts'
import { leftOut, type Way } from './part-rule.ts'

export const policyRules: readonly LayoutRule[] = [
  {
    reads: ['rematerialization'],
    broken: (read) => unknownPolicies(read).length > 0,
    says: (read) => {
      const unknown = unknownPolicies(read)
      const names = policyNames(read.problem.assumptions.activations).join(', ')
      const [subject, verb] = unknown.length > 1 ? ['the policies', 'are'] : ['the policy', 'is']
      return `${subject} ${unknown.join(' and ')} ${verb} not known under these assumptions: ${names}`
    },
    pointer: '/plan/rematerialization',
    nearest: ({ problem: { assumptions } }): readonly Way[] =>
      policyNames(assumptions.activations).map((value) => [{ pointer: '/plan/rematerialization', value }]),
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

function policiesOf({ problem: { model }, sketch: { rematerialization = [] } }: LayoutRead) {
  return typeof rematerialization === 'string'
    ? [{ policy: rematerialization, layers: model.layers }]
    : rematerialization
}

function policyLayers(read: LayoutRead): number {
  return total(policiesOf(read).map(({ layers }) => layers))
}

function unknownPolicies(read: LayoutRead): readonly string[] {
  const offered = policyNames(read.problem.assumptions.activations)
  return policiesOf(read)
    .map(({ policy }) => policy)
    .filter((name) => !offered.includes(name))
}
