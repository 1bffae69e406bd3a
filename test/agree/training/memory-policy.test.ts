/**
 * The memory policy, chosen three ways: by the closed form that the search uses, by the programme with either solver,
 * and by trying every count of every pair. Here on layouts of real models; on made-up numbers in made-up-layers.test.ts.
 */
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { fittingMixes, offloads } from '../../../src/cost/memory/remat.ts'
import { shortBytes } from '../../../src/cost/memory/stage-memory.ts'
import { policyRows as everyPolicy } from '../../../src/recipe/policy.ts'
import { relaxMemoryPolicy, solveMemoryPolicy } from '../../../src/search/memory-policy/memory-policy.ts'
import { highs } from '../../solvers.ts'
import {
  bruteForce,
  budgetOf,
  closedForm,
  expectAgreed,
  expectAlike,
  expectSolved,
  layoutsOf,
  mixtures,
  onTheChip,
  sharded,
  timeOf,
  withBudget,
  workloads,
} from './policy-answers.ts'

describe('layouts of models whose layers differ', () => {
  for (const [name, options] of mixtures) {
    for (const pipeline of [2, 4]) {
      it(`${name}, ${pipeline} stages: closed form, programme and brute force agree`, () => {
        const layouts = [{}, { tensor: 2 }].flatMap((sizes) =>
          layoutsOf({ ...options, rematerialization: onTheChip, constraints: { pipeline, ...sizes } }),
        )
        expect(layouts.length).toBeGreaterThan(1)
        layouts.forEach((layout, index) => {
          expect(new Set(layout.layers.groups.map(({ composition }) => composition)).size).toBeGreaterThan(1)
          const numbers = withBudget(layout, [0.04, 0.3, 0.6, 0.9][index % 4] ?? 1)
          const best = bruteForce(numbers)
          expect(best).toBeLessThan(Number.POSITIVE_INFINITY)
          expectAgreed(numbers, best)
        })
      })
    }
  }
})

describe('layouts of real models', () => {
  for (const [name, options] of workloads) {
    for (const pipeline of [1, 2, 4]) {
      it(`${name}, ${pipeline} stages: closed form, programme and brute force agree`, () => {
        const layouts = sharded.flatMap((sizes) =>
          layoutsOf({ ...options, constraints: { pipeline, ...sizes } }),
        )
        expect(layouts.length).toBeGreaterThan(1)
        layouts.forEach((layout, index) => {
          const numbers = withBudget(layout, [0.04, 0.3, 0.6, 0.9][index % 4] ?? 1)
          const best = bruteForce(numbers)
          expect(best).toBeLessThan(Number.POSITIVE_INFINITY)
          expectAgreed(numbers, best)
        })
      })

      it(`${name}, ${pipeline} stages, by the book: the programme agrees, with layers that divide`, () => {
        for (const numbers of layoutsOf({ ...options, assumptions: 'book', constraints: { pipeline } })) {
          for (const share of [0.1, 0.5, 0.85]) {
            const tight = withBudget(numbers, share)
            const best = closedForm(tight)
            expect(best).toBeLessThanOrEqual(bruteForce(tight) * (1 + 1e-12))
            expectSolved(tight, best)
          }
        }
      })
    }
  }

  it('with policies that keep arrays on the host, closed form and brute force agree, and such policies go alone', () => {
    let offloading = 0
    for (const [, { rematerialization, ...options }] of workloads) {
      const every = everyPolicy.map(({ name }) => name)
      for (const layout of layoutsOf({
        ...options,
        rematerialization: every,
        constraints: { pipeline: [1, 2] },
      })) {
        for (const share of [0.01, 0.2, 0.5]) {
          const numbers = withBudget(layout, share)
          expectAlike(closedForm(numbers), bruteForce(numbers))
          const { memory, layers } = numbers
          const mixes = fittingMixes(memory, layers.groups, budgetOf(numbers), false)
          offloading += mixes.filter(({ policy }) => offloads(memory, policy)).length
          expect(mixes.every(({ policy, count }) => count === 0 || !offloads(memory, policy))).toBe(true)
        }
      }
    }
    expect(offloading).toBeGreaterThan(10)
  })

  for (const schedule of ['zb-h1', 'dualpipe'] as const) {
    it(`of 2 and 4 stages under ${schedule}: closed form, programme and brute force agree`, () => {
      const layouts = workloads.flatMap(([, options]) =>
        [2, 4].flatMap((pipeline) =>
          [{}, { tensor: 2 }].flatMap((sizes) =>
            layoutsOf({ ...options, schedules: [schedule], constraints: { pipeline, ...sizes } }).slice(0, 2),
          ),
        ),
      )
      expect(layouts.length).toBeGreaterThan(8)
      layouts.forEach((layout, index) => {
        const numbers = withBudget(layout, [0.04, 0.3, 0.6, 0.9][index % 4] ?? 1)
        const best = bruteForce(numbers)
        expectAgreed(numbers, best)
      })
    })
  }

  it('finds that nothing fits where nothing does', () => {
    const [options] = workloads.map(([, own]) => own)
    for (const numbers of options ? layoutsOf(options) : []) {
      const none = withBudget(numbers, -0.1)
      expect(closedForm(none)).toBe(Number.POSITIVE_INFINITY)
      for (const solver of [javascriptLpSolver, highs]) {
        expect(solveMemoryPolicy(none, solver)).toEqual({ status: 'infeasible' })
        expect(relaxMemoryPolicy(none, solver)).toEqual({ status: 'infeasible' })
      }
    }
  })

  it('chooses a mix that fits and takes as long as it says', () => {
    for (const [, options] of workloads) {
      for (const layout of layoutsOf({ ...options, constraints: { pipeline: [1, 2] } })) {
        const numbers = withBudget(layout, 0.4)
        const answer = solveMemoryPolicy(numbers, javascriptLpSolver)
        if (answer.status !== 'optimal') throw new Error('some mix fits')
        const { groups } = numbers.layers
        expect(shortBytes(numbers.memory, groups, answer.mix, budgetOf(numbers))).toBeLessThanOrEqual(0)
        expectAlike(timeOf(numbers, answer.mix), answer.stepTimeSeconds)
      }
    }
  })
})
