/** Servers have room for one request of the longest, which many short ones do not ask for. */
import { describe, expect, it } from 'vitest'
import { longestAlone, roomAlone } from '../../../src/inference/longest.ts'
import { inferenceModel } from '../../../src/inference/model.ts'
import { searchPhase } from '../../../src/inference/search.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import type { PhaseProblem } from '../../../src/problem.ts'
import { phaseProblems } from '../../agree/inference/phase-problems.ts'
import { forAll } from '../../law.ts'

describe('the longest request of a phase', () => {
  it('has room in every plan that a search lists, and one more position than the longest that has room has none', () => {
    let bound = 0
    forAll(64, [phaseProblems], (problem: PhaseProblem) => {
      const phase = phaseOf(inferenceModel(problem), problem)
      const { candidates } = searchPhase(phase, 5)
      for (const candidate of candidates) {
        const most = 1024 * phase.positions
        const longest = longestAlone(phase.bench, candidate, most)
        const fits = roomAlone(phase.bench, candidate)
        expect(longest).toBeGreaterThanOrEqual(phase.positions)
        expect(fits(longest)).toBe(true)
        if (longest === most) continue
        expect(fits(longest + 1)).toBe(false)
        bound++
      }
    })
    expect(bound).toBeGreaterThan(0)
  })

  it('costs those that need no room for it no plan', () => {
    forAll(8, [phaseProblems], (problem: PhaseProblem) => {
      const { workload } = problem
      const shorter =
        workload.mode === 'generate'
          ? { ...workload, contextLength: workload.meanContextLength }
          : { ...workload, contextLength: workload.promptLength + 1 }
      const listed = (asked: PhaseProblem) =>
        searchPhase(phaseOf(inferenceModel(asked), asked), 50).candidates
      const short = listed({ ...problem, workload: shorter } as PhaseProblem)
      expect(listed(problem).length).toBeLessThanOrEqual(short.length)
    })
  })
})
