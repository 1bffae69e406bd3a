/** Laws of the best layouts for any components. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Solver } from '../../../solvers/linear-program.ts'
import { bestLayouts } from '../../../src/search/component-layout/best-layouts.ts'
import { chooseLayouts, layoutProgram } from '../../../src/search/component-layout/program.ts'
import type {
  LayoutOption,
  LayoutQuestion,
  Resharding,
} from '../../../src/search/component-layout/question.ts'
import { everyChoice, layoutQuestions, plain, real } from '../../agree/inference/layout-questions.ts'
import { law } from '../../law.ts'
import { highs, solvers } from '../../solvers.ts'

const questions = layoutQuestions(real)

const fraction = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000)

function timeOf(question: LayoutQuestion): number {
  return bestLayouts(question)?.seconds ?? Number.POSITIVE_INFINITY
}

/** What rounding may leave: the same seconds added up in another order. */
function expectNoSlower(question: LayoutQuestion, other: LayoutQuestion): void {
  expect(timeOf(question)).toBeLessThanOrEqual(timeOf(other) * (1 + 1e-12))
}

function mapOptions(
  question: LayoutQuestion,
  at: number,
  change: (options: readonly LayoutOption[]) => readonly LayoutOption[],
): LayoutQuestion {
  return {
    ...question,
    components: question.components.map((component, k) =>
      k === at ? { ...component, options: change(component.options) } : component,
    ),
  }
}

function mapEdges(
  question: LayoutQuestion,
  change: (edge: Resharding, at: number) => Resharding,
): LayoutQuestion {
  return { ...question, resharding: question.resharding.map(change) }
}

/** The options of one component, and what the edges have of them, at these positions. */
function arranged(question: LayoutQuestion, at: number, order: readonly number[]): LayoutQuestion {
  const picked = <T>(items: readonly T[]) => order.flatMap((i) => items.slice(i, i + 1))
  return mapEdges(mapOptions(question, at, picked), (edge) => {
    const rows = edge.from === at ? picked(edge.seconds) : edge.seconds
    return { ...edge, seconds: edge.to === at ? rows.map(picked) : rows }
  })
}

const withComponent = questions.chain((question) =>
  fc.record({
    question: fc.constant(question),
    at: fc.integer({ min: 0, max: question.components.length - 1 }),
  }),
)

const withOption = withComponent.chain(({ question, at }) => {
  const options = question.components[at]?.options ?? []
  return fc.record({
    question: fc.constant(question),
    at: fc.constant(at),
    option: fc.integer({ min: 0, max: options.length - 1 }),
    order: fc.shuffledSubarray([...options.keys()], { minLength: options.length }),
  })
})

describe('the best layouts', () => {
  law('are no slower with a larger budget', 500, [questions, fraction], (question, share) => {
    expectNoSlower({ ...question, budget: question.budget * (1 + share) }, question)
  })

  law('are no slower with one more option', 500, [withOption], ({ question, at, option, order }) => {
    const fewer = arranged(
      question,
      at,
      order.filter((i) => i !== option).sort((a, b) => a - b),
    )
    expectNoSlower(question, fewer)
  })

  law(
    'are no faster where an edge, an option or a working set grows',
    500,
    [withOption, fc.nat(), fraction],
    ({ question, at, option }, chance, share) => {
      const slower = mapEdges(question, (edge, e) =>
        e === chance % question.resharding.length
          ? {
              ...edge,
              seconds: edge.seconds.map((row, i) => row.map((own) => (i % 2 ? own + share * 1e-3 : own))),
            }
          : edge,
      )
      const grown = (more: (own: LayoutOption) => LayoutOption) =>
        mapOptions(question, at, (options) => options.map((own, i) => (i === option ? more(own) : own)))
      expectNoSlower(question, slower)
      expectNoSlower(
        question,
        grown((own) => ({ ...own, seconds: own.seconds + share * 1e-3 })),
      )
      expectNoSlower(
        question,
        grown((own) => ({ ...own, bytes: own.bytes + share * 2 ** 30 })),
      )
      expectNoSlower(
        question,
        grown((own) => ({ ...own, workspace: own.workspace + share * 2 ** 30 })),
      )
    },
  )

  law(
    'are the same options in whatever order they are given',
    500,
    [withOption],
    ({ question, at, order }) => {
      const found = bestLayouts(question)
      const other = bestLayouts(arranged(question, at, order))
      expect(other === null).toBe(found === null)
      if (!found || !other) return
      const alike = [...everyChoice(question)].filter(
        ({ seconds, bytes }) => bytes <= question.budget && seconds <= found.seconds * (1 + 1e-9),
      )
      const back = other.chosen.map((i, k) => (k === at ? order[i] : i))
      if (alike.length === 1) expect(back).toEqual(found.chosen)
      else expect(alike.map(({ chosen }) => chosen)).toContainEqual(back)
    },
  )

  law(
    'never need an option that another dominates',
    500,
    [withOption, fraction],
    ({ question, at, option, order }, share) => {
      const ascending = [...order].sort((a, b) => a - b)
      const last = ascending.length
      const doubled = mapOptions(arranged(question, at, [...ascending, option]), at, (options) =>
        options.map((own, i) => (i === last ? { ...own, seconds: own.seconds * (1 + share) } : own)),
      )
      expect(bestLayouts(doubled)).toEqual(bestLayouts(question))
    },
  )

  law(
    'do not depend on which way an edge points, or on how many parts it comes in',
    500,
    [layoutQuestions(plain)],
    (question) => {
      const turned = mapEdges(question, ({ from, to, seconds }) => ({
        from: to,
        to: from,
        seconds: (question.components[to]?.options ?? []).map((_, j) => seconds.map((row) => row[j] ?? NaN)),
      }))
      const halves = mapEdges(question, (edge) => ({
        ...edge,
        seconds: edge.seconds.map((row) => row.map((own) => own / 2)),
      }))
      const parts = { ...halves, resharding: [...halves.resharding, ...halves.resharding] }
      expect(bestLayouts(turned)).toEqual(bestLayouts(question))
      expect(bestLayouts(parts)).toEqual(bestLayouts(question))
    },
  )

  law(
    'are the same in other units of time and memory',
    300,
    [layoutQuestions(plain), fc.integer({ min: -20, max: 40 })],
    (question, exponent) => {
      const k = 2 ** exponent
      const components = question.components.map(({ name, options }) => ({
        name,
        options: options.map((own) => ({
          ...own,
          seconds: own.seconds / k,
          bytes: own.bytes * k,
          workspace: own.workspace * k,
        })),
      }))
      const scaled = mapEdges({ ...question, components, budget: question.budget * k }, (edge) => ({
        ...edge,
        seconds: edge.seconds.map((row) => row.map((own) => own / k)),
      }))
      expect(bestLayouts(scaled)?.chosen).toEqual(bestLayouts(question)?.chosen)
    },
  )

  law(
    'are of components that reshard for nothing each its own fastest, where all fits',
    200,
    [questions],
    ({ components }) => {
      const found = bestLayouts({ components, resharding: [], budget: 2 ** 60 })
      const fastest = components.map(({ options }) => {
        const times = options.map(({ seconds }) => seconds)
        return times.indexOf(Math.min(...times))
      })
      expect(found?.chosen).toEqual(fastest)
    },
  )
})

/** The programme with parts of options allowed, in seconds. */
function relaxed(question: LayoutQuestion, solver: Solver): number {
  const program = layoutProgram([question])
  if (!program) return Number.POSITIVE_INFINITY
  const variables = program.variables.map((variable) => ({ ...variable, integer: false }))
  const answer = solver({ ...program, variables })
  if (answer.status === 'infeasible') return Number.POSITIVE_INFINITY
  if (answer.status !== 'optimal') throw new Error(answer.status)
  return answer.point.objective / 1000
}

describe.each(solvers)('the relaxed programme, %s', (_, solver) => {
  law('is no slower than the best layouts', 150, [questions], (question) => {
    expect(relaxed(question, solver)).toBeLessThanOrEqual(timeOf(question) * (1 + 1e-6))
  })

  law(
    'is as fast as the best layouts where edges form a chain and all fits',
    150,
    [questions],
    (question) => {
      const chain = question.resharding.filter(({ from, to }) => to === from + 1)
      const free = { ...question, resharding: chain, budget: 2 ** 60 }
      expect(Math.abs(relaxed(free, solver) - timeOf(free))).toBeLessThanOrEqual(1e-6 * timeOf(free))
    },
  )
})

function option(seconds: number, bytes: number, workspace = 0): LayoutOption {
  return { name: 'a layout', seconds, bytes, workspace }
}

function asked(
  options: readonly (readonly LayoutOption[])[],
  resharding: readonly Resharding[],
  budget: number,
): LayoutQuestion {
  return { components: options.map((own) => ({ name: 'a component', options: own })), resharding, budget }
}

function everyWay(question: LayoutQuestion): readonly unknown[] {
  const ways = [bestLayouts(question), ...solvers.map(([, solver]) => chooseLayouts([question], solver))]
  return ways.map((answer) => (answer && typeof answer === 'object' ? answer.chosen : answer))
}

describe('at the edges', () => {
  it('no components take nothing', () => {
    expect(bestLayouts(asked([], [], 0))).toEqual({ chosen: [], seconds: 0, bytes: 0, proven: true })
    expect(chooseLayouts([asked([], [], 0)], highs)).toEqual({
      chosen: [],
      seconds: 0,
      bytes: 0,
      proven: true,
    })
    expect(everyWay(asked([], [], -1))).toEqual([null, 'infeasible', 'infeasible'])
  })

  it('a component without options has no layout', () => {
    expect(everyWay(asked([[option(1, 1)], []], [], 10))).toEqual([null, 'infeasible', 'infeasible'])
  })

  it('only the largest working set is live', () => {
    const two = [[option(1, 2, 5)], [option(1, 3, 4)]]
    expect(everyWay(asked(two, [], 10))).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ])
    expect(everyWay(asked(two, [], 9.999))).toEqual([null, 'infeasible', 'infeasible'])
  })

  it('an option or a pair that takes for ever is not chosen', () => {
    const edge = {
      from: 0,
      to: 1,
      seconds: [
        [0, Infinity],
        [1e-3, 2e-3],
      ],
    }
    const two = [
      [option(1e-3, 1), option(3e-3, 1)],
      [option(Infinity, 1), option(1e-3, 1)],
    ]
    expect(everyWay(asked(two, [edge], 10))).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
    ])
    const never = {
      ...edge,
      seconds: [
        [0, Infinity],
        [0, Infinity],
      ],
    }
    expect(everyWay(asked(two, [never], 10))).toEqual([null, 'infeasible', 'infeasible'])
  })

  it('a component that reshards to itself pays for the option that it has', () => {
    const edge = {
      from: 0,
      to: 0,
      seconds: [
        [5e-3, 0],
        [0, 1e-3],
      ],
    }
    expect(everyWay(asked([[option(1e-3, 1), option(2e-3, 1)]], [edge], 1))).toEqual([[1], [1], [1]])
  })

  it('seconds that are missing, negative or no number are refused', () => {
    const two = [[option(1, 1)], [option(1, 1)]]
    for (const seconds of [[], [[]], [[-1]], [[NaN]]]) {
      expect(() => bestLayouts(asked(two, [{ from: 0, to: 1, seconds }], 9))).toThrow(RangeError)
    }
    expect(() => bestLayouts(asked(two, [{ from: 0, to: 2, seconds: [[0]] }], 9))).toThrow(RangeError)
    expect(() => bestLayouts(asked([[option(NaN, 1)]], [], 9))).toThrow(RangeError)
  })
})
