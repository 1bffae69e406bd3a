/** If nothing fits, memory alone is searched, which must report the same as the full search. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { policyRows } from '../../../src/recipe/policy.ts'
import { anythingFits } from '../../../src/search/fits.ts'
import { contextModels } from '../../../src/search/layouts/context-models.ts'
import { misfits } from '../../../src/search/misfits.ts'
import { searchAll } from '../../../src/search/search-all.ts'
import { forAll } from '../../law.ts'
import { type ProblemOptions, problem } from '../../problem.ts'
import { trainingProblems } from './problems.ts'

it('counts every layout as the search does, and comes nearest where it does', () => {
  const short = fc.double({ min: -1.5, max: 0.2, noNaN: true })
  let nowhere = 0
  forAll(60, [trainingProblems, short], (problem, share) => {
    const asked = { ...problem, memoryBudget: problem.memoryBudget * 10 ** share }
    const models = contextModels(asked)
    const found = misfits(models)
    const {
      onAll: _best,
      refused: _refused,
      unsought: _none,
      ...searched
    } = searchAll(models, 1, undefined, { fewer: false })
    expect(found === null).toBe(searched.candidates.length > 0)
    expect(anythingFits(asked)).toBe(found === null)
    if (!found) return
    nowhere++
    expect(found).toEqual(searched)
  })
  expect(nowhere).toBeGreaterThan(10)
})

/** Its head counts as a layer where stages are balanced, so that the most even cut has the first stage the fuller one, where activations are on the host. */
const split = {
  ...{ model: 'llama-3-70b', chip: 'tpu-v5p', topology: [4, 4, 4], sequenceLength: 8192 },
  ...{ batchTokens: 128 * 8192, constraints: { tensor: 8, context: 4, pipeline: 2 } },
  rematerialization: policyRows.map(({ name }) => name),
} as const satisfies ProblemOptions

it.each([
  ['with activations on the host', split],
  ['with activations on the chip', { ...split, rematerialization: ['full'] }],
])('what comes nearest needs the least memory %s: nothing fits with less', (_, options) => {
  const made = problem(options)
  const asked = { ...made, memoryBudget: made.memoryBudget * 0.1 }
  const nearest = misfits(contextModels(asked))?.nearest
  const withMore = (bytes: number) => ({ ...asked, memoryBudget: asked.memoryBudget + bytes })
  const short = nearest?.shortBytes ?? 0
  expect(short).toBeGreaterThan(0)
  expect(anythingFits(withMore(short * (1 + 1e-9)))).toBe(true)
  expect(anythingFits(withMore(short * (1 - 1e-6)))).toBe(false)
})
