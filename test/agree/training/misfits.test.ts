/** If nothing fits, memory alone is searched, which must report the same as the full search. */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anythingFits } from '../../../src/search/fits.ts'
import { contextModels } from '../../../src/search/layouts/context-models.ts'
import { misfits } from '../../../src/search/misfits.ts'
import { searchAll } from '../../../src/search/search-all.ts'
import { forAll } from '../../law.ts'
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
