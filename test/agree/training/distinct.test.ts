/**
 * What a list distinguishes, on small problems of every kind: families are those of all meshes, each with the best of
 * its meshes, as many as are asked for; layouts are all there are, including the best of each mesh.
 */

import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { inferenceModel } from '../../../src/inference/model.ts'
import { searchPhase } from '../../../src/inference/search.ts'
import { searchPhaseParts } from '../../../src/inference/search-parts.ts'
import { launchable } from '../../../src/launch/training.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import type { Distinct, Problem } from '../../../src/problem.ts'
import { keyOf } from '../../../src/search/distinct.ts'
import type { Candidate } from '../../../src/search/layouts/candidate.ts'
import { contextModels } from '../../../src/search/layouts/context-models.ts'
import { searchAll } from '../../../src/search/search-all.ts'
import { familyKey, meshKey } from '../../../src/sharding/axis.ts'
import { law } from '../../law.ts'
import { phaseProblems } from '../inference/phase-problems.ts'
import { trainingProblems } from './problems.ts'

const all = 1000

const listed = (problem: Problem, distinct: Distinct, top: number): readonly Candidate[] =>
  searchAll(contextModels({ ...problem, distinct }), top, launchable).candidates

/** The first of each. */
function firsts<Item>(items: readonly Item[], key: (item: Item) => string): readonly Item[] {
  const keys = new Set<string>()
  return items.filter((item) => !keys.has(key(item)) && keys.add(key(item)))
}

const named = ({ mesh, score }: Pick<Candidate, 'mesh' | 'score'>) => `${meshKey(mesh)} ${score}`

describe('a list of training', () => {
  law(
    'has the best of each family, as many as are asked for, whatever is left out for them',
    9,
    [trainingProblems],
    (problem) => {
      const meshes = listed(problem, 'mesh', all)
      fc.pre(meshes.length > 0)
      const best = firsts(meshes, ({ mesh }) => familyKey(mesh))
      for (const top of [2, all]) {
        expect(listed(problem, 'family', top).map(named)).toEqual(best.slice(0, top).map(named))
      }
    },
  )

  law('has every layout once, and of each mesh its best first', 3, [trainingProblems], (problem) => {
    const meshes = listed(problem, 'mesh', all)
    const layouts = listed(problem, 'layout', 10_000)
    fc.pre(layouts.length > meshes.length)
    expect(firsts(layouts, keyOf('layout')).length).toBe(layouts.length)
    expect(firsts(layouts, ({ mesh }) => meshKey(mesh)).map(named)).toEqual(meshes.map(named))
    expect(listed(problem, 'layout', 4).map(named)).toEqual(layouts.slice(0, 4).map(named))
  })
})

describe('a list of one phase', () => {
  law('has the best of each family', 10, [phaseProblems, fc.constantFrom(1, 2, all)], (problem, top) => {
    const model = inferenceModel(problem)
    const phase = phaseOf(model, problem)
    const meshes = searchPhase(phase, all).candidates
    fc.pre(meshes.length > 0)
    const best = firsts(meshes, ({ mesh }) => familyKey(mesh)).slice(0, top)
    const found = searchPhase(phase, top, { distinct: 'family' }).candidates
    expect(found.map(({ mesh }) => familyKey(mesh))).toEqual(best.map(({ mesh }) => familyKey(mesh)))
    for (const [at, { score }] of found.entries()) expect(score / (best[at]?.score ?? 0)).toBeCloseTo(1, 9)
    const parts = searchPhaseParts(
      model,
      { ...problem, top, distinct: 'family' },
      { phaseOf, servable: () => null },
    )
    expect(parts.candidates[0]?.score ?? 0).toBeLessThanOrEqual(found[0]?.score ?? 0)
    expect(firsts(parts.candidates, ({ mesh }) => familyKey(mesh)).length).toBe(parts.candidates.length)
  })
})
