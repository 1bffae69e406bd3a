/**
 * The layouts of components, chosen four ways: by the search with its bound, by the programme with either solver, and
 * by trying every choice.
 */

import { describe, expect } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Solver } from '../../../solvers/linear-program.ts'
import { bestLayouts } from '../../../src/search/component-layout/best-layouts.ts'
import { chooseLayouts } from '../../../src/search/component-layout/program.ts'
import type { LayoutQuestion } from '../../../src/search/component-layout/question.ts'
import { law } from '../../law.ts'
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
