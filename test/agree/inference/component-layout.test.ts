/**
 * The layouts of components, chosen four ways: by the search with its bound, by the programme with either solver, and
 * by trying every choice.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Solver } from '../../../solvers/linear-program.ts'
import { bestLayouts } from '../../../src/search/component-layout/best-layouts.ts'
import { bestOfLongest, longestSeconds } from '../../../src/search/component-layout/longest.ts'
import { chooseLayouts } from '../../../src/search/component-layout/program.ts'
import type { LayoutQuestion } from '../../../src/search/component-layout/question.ts'
import { forAll, law } from '../../law.ts'
import { highs } from '../../solvers.ts'
import { bestOfAll, everyChoice, layoutQuestions, plain, real } from './layout-questions.ts'

const numbers = [
  ['whole numbers', plain],
  ['times and sizes of plans', real],
] as const

/** Solvers may take any of two choices that are equally fast, and what exceeds the budget by less than they can see. */
function expectTheSame(question: LayoutQuestion, solver: Solver): void {
  const best = bestOfAll(question)
  let asked = 0
  const answer = chooseLayouts(question, (program) => {
    asked++
    return solver(program)
  })
  const { budget, components } = question
  const seen = (components.length + 2) * 2 ** -20
  const barelyOver = [...everyChoice(question)].filter(
    ({ bytes }) => bytes > budget && bytes <= budget * (1 + seen),
  )
  expect(asked).toBeLessThanOrEqual(1 + barelyOver.length)
  if (!best) {
    expect(answer).toBe('infeasible')
    return
  }
  if (typeof answer === 'string') throw new Error(`${answer}, but ${best.chosen} fits`)
  expect(answer.proven).toBe(true)
  expect(answer.bytes).toBeLessThanOrEqual(question.budget)
  expect(Math.abs(answer.seconds - best.seconds)).toBeLessThanOrEqual(1e-9 * best.seconds)
}

/** How often each component runs on each of some courses. */
const counts = fc.array(fc.array(fc.nat(5), { minLength: 4, maxLength: 4 }), { minLength: 2, maxLength: 3 })

/** The question of a course on which components run so often, and edges as often as what they lead to. */
function onCourse(
  { components, resharding, budget }: LayoutQuestion,
  times: readonly number[],
): LayoutQuestion {
  return {
    components: components.map(({ name, options }, k) => ({
      name,
      options: options.map((option) => ({ ...option, seconds: (times[k] ?? 0) * option.seconds })),
    })),
    resharding: resharding.map((edge) => ({
      ...edge,
      seconds: edge.seconds.map((row) => row.map((seconds) => (times[edge.to] ?? 0) * seconds)),
    })),
    budget,
  }
}

describe.each(numbers)('%s', (_, own) => {
  law(
    'the search finds what trying every choice finds, and of equals the first',
    2000,
    [layoutQuestions(own)],
    (question) => {
      const best = bestOfAll(question)
      const found = bestLayouts(question)
      expect(found?.chosen).toEqual(best?.chosen)
      if (!best || !found) return
      expect(found.bytes).toBe(best.bytes)
      expect(Math.abs(found.seconds - best.seconds)).toBeLessThanOrEqual(1e-12 * best.seconds)
    },
  )

  it('the search finds the choice whose longest course is the shortest, as trying every choice does', () => {
    let mixed = 0
    forAll(2000, [layoutQuestions(own), counts], (question, courses) => {
      const questions = courses.map((times) => onCourse(question, times))
      const [first, ...others] = questions.map((one) => [...everyChoice(one)])
      const slowest = (first ?? []).map((choice, at) => {
        const seconds = Math.max(choice.seconds, ...others.map((all) => all[at]?.seconds ?? Number.NaN))
        return { ...choice, seconds }
      })
      const fitting = slowest.filter(({ bytes }) => bytes <= question.budget)
      const least = Math.min(...fitting.map(({ seconds }) => seconds))
      const found = bestOfLongest(questions)
      if (!found) {
        expect(fitting).toEqual([])
        return
      }
      expect(Math.abs(found.seconds - least)).toBeLessThanOrEqual(1e-12 * least)
      expect(longestSeconds(questions, found.chosen)).toBe(found.seconds)
      expect(found.bytes).toBeLessThanOrEqual(question.budget)
      const alone = questions.map((one) => bestLayouts(one)?.seconds ?? 0)
      if (Math.max(...alone) < least * (1 - 1e-9)) mixed++
    })
    // Some have a best choice that is the best of no course alone.
    expect(mixed).toBeGreaterThan(10)
  })

  law(
    'the programme finds as fast a choice with javascript-lp-solver',
    100,
    [layoutQuestions(own)],
    (question) => expectTheSame(question, javascriptLpSolver),
  )

  law('the programme finds as fast a choice with HiGHS', 60, [layoutQuestions(own)], (question) =>
    expectTheSame(question, highs),
  )
})
