/**
 * The layouts of components, chosen four ways: by the search with its bound, by the programme with either solver, and
 * by trying every choice.
 */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Solver } from '../../../solvers/linear-program.ts'
import { bestLayouts } from '../../../src/search/component-layout/best-layouts.ts'
import { bestOfLongest, longestAccount } from '../../../src/search/component-layout/longest.ts'
import { chooseLayouts } from '../../../src/search/component-layout/program.ts'
import type { LayoutQuestion } from '../../../src/search/component-layout/question.ts'
import { forAll, law } from '../../law.ts'
import { highs } from '../../solvers.ts'
import { bestOfAll, type Choice, everyChoice, layoutQuestions, plain, real } from './layout-questions.ts'

const numbers = [
  ['whole numbers', plain],
  ['times and sizes of plans', real],
] as const

/** By choice, the course that takes longest with it and the stage where it takes the most. */
function ofAll(questions: readonly LayoutQuestion[]): readonly Choice[] {
  const [first = [], ...others] = questions.map((one) => [...everyChoice(one)])
  return first.map((choice, at) => {
    const all = [choice, ...others.flatMap((other) => other[at] ?? [])]
    const [seconds, bytes] = [all.map((one) => one.seconds), all.map((one) => one.bytes)]
    return { ...choice, seconds: Math.max(...seconds), bytes: Math.max(...bytes) }
  })
}

/** Solvers may take any of two choices that are equally fast, and what exceeds the budget by less than they can see. */
function expectTheSame(questions: readonly [LayoutQuestion, ...LayoutQuestion[]], solver: Solver): void {
  const [{ budget, components }] = questions
  const choices = ofAll(questions)
  const best = Math.min(...choices.filter(({ bytes }) => bytes <= budget).map(({ seconds }) => seconds))
  let asked = 0
  const answer = chooseLayouts(questions, (program) => {
    asked++
    return solver(program)
  })
  const seen = (components.length + 2) * 2 ** -20
  const barelyOver = choices.filter(({ bytes }) => bytes > budget && bytes <= budget * (1 + seen))
  expect(asked).toBeLessThanOrEqual(1 + barelyOver.length)
  if (!Number.isFinite(best)) {
    expect(answer).toBe('infeasible')
    return
  }
  if (typeof answer === 'string') throw new Error(`${answer}, but a choice of ${best} seconds fits`)
  expect(answer.proven).toBe(true)
  expect(answer.bytes).toBeLessThanOrEqual(budget)
  expect(Math.abs(answer.seconds - best)).toBeLessThanOrEqual(1e-9 * best)
}

/** By component, how often it runs on a course, or how many layers with it a stage has. */
const counts = fc.array(fc.nat(5), { minLength: 4, maxLength: 4 })
const several = fc.array(fc.record({ times: counts, held: counts }), { minLength: 2, maxLength: 3 })

type Counts = typeof several extends fc.Arbitrary<infer Several> ? Several : never

/** Of each the question of its course, with edges that are gone as often as what they lead to runs, and of its stage. */
function questionsOn(
  { components, resharding }: LayoutQuestion,
  each: Counts,
  roomy: number,
): readonly [LayoutQuestion, ...LayoutQuestion[]] {
  const asked = each.map(
    ({ times, held }): LayoutQuestion => ({
      components: components.map(({ name, options }, k) => ({
        name,
        options: options.map(({ seconds, bytes, ...option }) => {
          return { ...option, seconds: (times[k] ?? 0) * seconds, bytes: (held[k] ?? 0) * bytes }
        }),
      })),
      resharding: resharding.map((edge) => ({
        ...edge,
        seconds: edge.seconds.map((row) => row.map((seconds) => (times[edge.to] ?? 0) * seconds)),
      })),
      budget: 0,
    }),
  )
  const taken = ofAll(asked).map(({ bytes }) => bytes)
  const [least, most] = [Math.min(...taken), Math.max(...taken)]
  // Some of what is chosen fits to the byte, and where nothing is roomy nothing fits.
  const within = taken.filter((bytes) => bytes <= least + roomy * (most - least))
  const budget = roomy === 0 ? least - 1 : Math.max(...within)
  const [first, ...others] = asked.map((one) => ({ ...one, budget }))
  if (!first) throw new Error('of several questions there is a first')
  return [first, ...others]
}

/** The same seconds with the bytes of another. */
function withBytes({ components }: LayoutQuestion, other: LayoutQuestion): LayoutQuestion['components'] {
  return components.map(({ name, options }, k) => ({
    name,
    options: options.map((option, i) => {
      return { ...option, bytes: other.components[k]?.options[i]?.bytes ?? Number.NaN }
    }),
  }))
}

const room = fc.constantFrom(0, 0.1, 0.3, 0.5, 1)

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

  it('of several courses and stages the search finds the choice that fits on each and whose longest course is the shortest, as trying every choice does', () => {
    const seen = { mixed: 0, elsewhere: 0 }
    forAll(2000, [layoutQuestions(own), several, room], (question, each, roomy) => {
      const questions = questionsOn(question, each, roomy)
      const [{ budget }] = questions
      const fitting = ofAll(questions).filter(({ bytes }) => bytes <= budget)
      const least = Math.min(...fitting.map(({ seconds }) => seconds))
      const found = bestOfLongest(questions)
      if (!found) {
        expect(fitting).toEqual([])
        return
      }
      expect(Math.abs(found.seconds - least)).toBeLessThanOrEqual(1e-12 * least)
      expect(longestAccount(questions, found.chosen)).toEqual({ seconds: found.seconds, bytes: found.bytes })
      expect(found.bytes).toBeLessThanOrEqual(budget)
      const alone = questions.map((one) => bestLayouts(one)?.seconds ?? 0)
      if (Math.max(...alone) < least * (1 - 1e-9)) seen.mixed++
      const [first] = questions
      const untold = bestOfLongest(questions.map((one) => ({ ...one, components: withBytes(one, first) })))
      if (untold && untold.seconds < least * (1 - 1e-9)) seen.elsewhere++
    })
    // Some have a best choice that is the best of no course alone, and some one that the bytes of the first stage alone would not have told.
    expect(seen.mixed).toBeGreaterThan(10)
    expect(seen.elsewhere).toBeGreaterThan(10)
  })

  law(
    'of several courses and stages the programme finds as fast a choice with HiGHS',
    60,
    [layoutQuestions(own), several, room],
    (question, each, roomy) => expectTheSame(questionsOn(question, each, roomy), highs),
  )

  law(
    'the programme finds as fast a choice with javascript-lp-solver',
    100,
    [layoutQuestions(own)],
    (question) => expectTheSame([question], javascriptLpSolver),
  )

  law('the programme finds as fast a choice with HiGHS', 60, [layoutQuestions(own)], (question) =>
    expectTheSame([question], highs),
  )
})
