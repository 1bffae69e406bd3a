/**
 * `exact: true` in prefill and generation, for dense models and mixtures: every site of every mesh and every way
 * through the model on it, one after another, without the floors that meshes and sites are dropped by; the floors have
 * to be below them.
 */

import { describe, expect, it } from 'vitest'
import type { Constraints } from '../../../src/constraint.ts'
import { offeredLayouts } from '../../../src/inference/layout/layout-question.ts'
import { inferenceModel } from '../../../src/inference/model.ts'
import { leastSeconds } from '../../../src/inference/pass/arrangement.ts'
import type { InferenceCandidate, Phase } from '../../../src/inference/phase.ts'
import { searchPhase } from '../../../src/inference/search.ts'
import { candidateOf, optimisticSeconds, sitesOf } from '../../../src/inference/sites.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import type { PhaseProblem } from '../../../src/problem.ts'
import { type Mesh, meshKey } from '../../../src/sharding/axis.ts'
import { forAll } from '../../law.ts'
import { narrowing, phaseProblems } from './phase-problems.ts'

/** Sums of the same numbers in another order. */
const rounding = 1e-12

describe('the search of any small problem of one phase', () => {
  it('lists of every mesh the best that trying everything finds, its first ones whatever is asked for, and none better under constraints', () => {
    let plans = 0
    forAll(24, [phaseProblems, narrowing], (problem, narrower) => {
      const model = inferenceModel(problem)
      const phase = phaseOf(model, problem)
      const found = searchPhase(phase, Number.POSITIVE_INFINITY).candidates
      const best = new Map(phase.meshes.allowed.map((mesh) => [meshKey(mesh), bestOf(mesh, phase)]))
      for (const { mesh, score } of found) {
        expect(Math.abs(score / (best.get(meshKey(mesh)) ?? Number.NaN) - 1)).toBeLessThan(rounding)
      }
      const first = Math.min(Number.POSITIVE_INFINITY, ...best.values())
      expect(found[0]?.score ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(first * (1 + rounding))
      for (const top of [1, 2, 5]) {
        expect(searchPhase(phase, top).candidates.map(named)).toEqual(found.slice(0, top).map(named))
      }
      expect(bestScore(problem, {})).toBeLessThanOrEqual(bestScore(problem, narrower) * (1 + rounding))
      plans += found.length
    })
    expect(plans).toBeGreaterThan(0)
  })
})

/** Infinity where nothing fits, or nothing is fast enough. */
function bestOf(mesh: Mesh, phase: Phase): number {
  const { bench } = phase
  const offered = offeredLayouts(bench, mesh)
  let best = Number.POSITIVE_INFINITY
  for (const site of sitesOf(bench, mesh, {}, [offered])) {
    for (const pass of phase.passes(site)) {
      const candidate = candidateOf(bench, site, pass, phase.score)
      if (!candidate) continue
      best = Math.min(best, candidate.score)
      expect(leastSeconds(bench, mesh, pass, offered)).toBeLessThanOrEqual(candidate.seconds * (1 + rounding))
      expect(optimisticSeconds(bench, mesh, pass, offered)).toBeLessThanOrEqual(candidate.seconds)
    }
  }
  if (Number.isFinite(best)) {
    expect(phase.lower(mesh, offered) ?? Number.NaN).toBeLessThanOrEqual(best * (1 + rounding))
  }
  return best
}

function bestScore(problem: PhaseProblem, constraints: Constraints): number {
  const asked = { ...problem, constraints } as PhaseProblem
  const model = inferenceModel(asked)
  return searchPhase(phaseOf(model, asked), 1).candidates[0]?.score ?? Number.POSITIVE_INFINITY
}

function named({ mesh, score, layouts, pass }: InferenceCandidate) {
  return {
    mesh,
    score,
    layouts: layouts.map(({ name }) => name),
    sequences: pass.resident.sequences,
    units: pass.units,
  }
}
