/**
 * The layouts of the components of a layer as an integer programme (Alpa's form), which finds the same as the search that tries
 * them (best-layouts.ts, and longest.ts for several questions q). In ms, and in 1/1024 of the budget:
 *
 *   minimise  t
 *
 *   t >= Σ_ki s_qki·x_ki + Σ_klij r_qkl(i, j)·y_klij      on each course
 *   Σ_i x_ki = 1                                  each component k takes one option i; x binary
 *   Σ_j y_klij = x_ki,   Σ_i y_klij = x_lj        of the pairs of two components the one that is both's; y binary
 *   w_q >= Σ_i w_qki·x_ki,   Σ_ki m_qki·x_ki + w_q <= budget      on each stage
 *
 * Of one question, the seconds are the costs themselves and there is no t.
 * When x is whole, the two sums leave only y = 1 at the pair chosen and 0 elsewhere, whatever the sign of r: y is whole
 * by itself. It is still declared whole, because whole variables keep their unit when a programme is scaled: with y in units of their
 * own, HiGHS's presolve was seen to lose the best choice of a programme of 17 variables. The relaxation is whole already
 * where the pairs form a tree and memory does not matter. Options that fit with no choice of the others, and options and
 * pairs that take for ever, have no variable.
 *
 * A solver's rows hold to a ten-millionth, so a choice that is a byte over the budget may pass or fail. Therefore
 * memory is counted in whole 2^-20 of the budget, rounded down, which no tolerance confuses; a choice that fits only because of the
 * rounding is cut off, and the rest asked again.
 *
 * Source: Zheng et al., "Alpa" (2022), arXiv 2201.12023, section 4.2; the rows of y are those of Adams and Johnson (1994)
 * for quadratic assignment.
 */
import type { LinearProgram, Point, Row, Solver, Variable } from '../../../solvers/linear-program.ts'
import type { Bytes, Seconds } from '../../units.ts'
import { ones, type Terms } from '../memory-policy/linear-terms.ts'
import { longestAccount } from './longest.ts'
import { type Pair, pairCosts } from './pair-costs.ts'
import { accountOf, type LayoutAnswer, type LayoutQuestion } from './question.ts'

const milliseconds = 1000
const budgetUnits = 1024
const partsPerUnit = 1024
const mostCuts = 20
/** Cap on the budget that the unit of bytes is taken from, as an infinite budget gives no unit. */
const mostBytes = 2 ** 60
/** Tolerance for sums that are added up in another order. */
const rounding = 1e-12

/** `proven` is as the solver proves it: to a hundred-thousandth of the seconds. */
export function chooseLayouts(
  questions: readonly LayoutQuestion[],
  solver: Solver,
): LayoutAnswer | 'infeasible' | 'unsolved' {
  const program = layoutProgram(questions)
  if (!program) return 'infeasible'
  const cuts: Row[] = []
  while (cuts.length <= mostCuts) {
    const answer = solver({ variables: program.variables, rows: [...program.rows, ...cuts] })
    if (answer.status === 'infeasible') return 'infeasible'
    if (answer.status !== 'optimal' && answer.status !== 'feasible') return 'unsolved'
    const chosen = readLayouts(answer.point, questions)
    const fits = questions.every((question) => accountOf(question, chosen).bytes <= question.budget)
    if (fits) return { chosen, ...longestAccount(questions, chosen), proven: answer.status === 'optimal' }
    cuts.push(cut(chosen, cuts.length))
  }
  return 'unsolved'
}

/** Null when a component is left without an option. */
export function layoutProgram(questions: readonly LayoutQuestion[]): LinearProgram | null {
  const costs = questions.map(pairCosts)
  const fitting = questions.map(fittingOptions)
  const options = (fitting[0] ?? []).map((left, k) =>
    left.filter((i) =>
      costs.every(({ own }, q) => fitting[q]?.[k]?.includes(i) && own[k]?.[i] !== Number.POSITIVE_INFINITY),
    ),
  )
  if (options.some(({ length }) => length === 0)) return null
  const choices = options.flatMap((left, k) =>
    left.map((i): Taking => {
      return { name: uses(k, i), upper: 1, seconds: costs.map(({ own }) => own[k]?.[i] ?? 0) }
    }),
  )
  const linked = (costs[0]?.pairs ?? []).map((pair, at) => {
    return pairPart(
      pair,
      costs.map(({ pairs }) => pairs[at]?.seconds ?? []),
      options,
    )
  })
  const taking = [...choices, ...linked.flatMap(({ variables }) => variables)]
  const single = questions.length === 1
  const longest = single ? [] : [{ name: 'longest', cost: 1 }]
  return {
    variables: [
      ...taking.map(({ seconds: [first = 0], ...variable }): Variable => {
        return { ...variable, cost: single ? first * milliseconds : 0, integer: true }
      }),
      ...longest,
      ...questions.map((_, q) => ({ name: `workspace ${q}`, cost: 0 })),
    ],
    rows: [
      ...options.map((own, k): Row => {
        return { name: `one of ${k}`, terms: ones(own.map((i) => uses(k, i))), lower: 1, upper: 1 }
      }),
      ...questions.flatMap((question, q) => memoryRows(question, q, options)),
      ...linked.flatMap(({ rows }) => rows),
      ...longest.flatMap(({ name }) => questions.map((_, q) => courseRow(name, taking, q))),
    ],
  }
}

/** A variable that is 1 where an option, or a pair of them, is taken. */
interface Taking extends Pick<Variable, 'name' | 'upper'> {
  /** By question. */
  readonly seconds: readonly Seconds[]
}

function courseRow(longest: string, taking: readonly Taking[], q: number): Row {
  const terms = taking.map(({ name, seconds }) => [name, -(seconds[q] ?? 0) * milliseconds] as const)
  return { name: `course ${q}`, terms: { [longest]: 1, ...Object.fromEntries(terms) }, lower: 0 }
}

function memoryRows(
  { components, budget }: LayoutQuestion,
  q: number,
  options: readonly (readonly number[])[],
): readonly Row[] {
  const unit = Math.min(Math.max(budget, 1), mostBytes) / budgetUnits
  const counted = (bytes: Bytes) => Math.floor((bytes / unit) * partsPerUnit) / partsPerUnit
  const perOption = (k: number, amount: (i: number) => number): Terms =>
    Object.fromEntries((options[k] ?? []).map((i) => [uses(k, i), amount(i)]))
  const own = `workspace ${q}`
  const resident = components.map(({ options: all }, k) => perOption(k, (i) => counted(all[i]?.bytes ?? 0)))
  return [
    ...components.map(({ options: all }, k) => ({
      name: `${own} ${k}`,
      terms: { [own]: 1, ...perOption(k, (i) => -counted(all[i]?.workspace ?? 0)) },
      lower: 0,
    })),
    { name: `memory ${q}`, terms: Object.assign({ [own]: 1 }, ...resident), upper: counted(budget) },
  ]
}

/** Variables for the pairs of options of two components, and rows that tie them to the option that each takes. `tables` are those of each question. */
function pairPart(
  { first, second, columns }: Pair,
  tables: readonly Pair['seconds'][],
  options: readonly (readonly number[])[],
): { readonly variables: readonly Taking[]; readonly rows: readonly Row[] } {
  const both = (i: number, j: number) => `${uses(first, i)}, ${uses(second, j)}`
  const possible = (options[first] ?? [])
    .flatMap((i) =>
      (options[second] ?? []).map((j) => ({
        i,
        j,
        seconds: tables.map((table) => table[i * columns + j] ?? 0),
      })),
    )
    .filter(({ seconds }) => seconds.every(Number.isFinite))
  const links = (k: number, other: number) =>
    (options[k] ?? []).map((option) => {
      const those = possible.filter(({ i, j }) => (k === first ? i : j) === option)
      const terms = { [uses(k, option)]: -1, ...ones(those.map(({ i, j }) => both(i, j))) }
      return { name: `${uses(k, option)} beside ${other}`, terms, lower: 0, upper: 0 }
    })
  return {
    variables: possible.map(({ i, j, seconds }) => ({ name: both(i, j), seconds })),
    rows: [...links(first, second), ...links(second, first)],
  }
}

/** By component, the options that fit beside the least that the others take. */
function fittingOptions({ components, budget }: LayoutQuestion): readonly (readonly number[])[] {
  const least = components.map(({ options }) => ({
    bytes: Math.min(...options.map(({ bytes }) => bytes)),
    workspace: Math.min(...options.map(({ workspace }) => workspace)),
  }))
  return components.map(({ options }, k) => {
    const others = least.filter((_, l) => l !== k)
    const bytes = others.reduce((sum, other) => sum + other.bytes, 0)
    const workspace = others.reduce((most, other) => Math.max(most, other.workspace), 0)
    return [...options.keys()].filter((i) => {
      const option = options[i]
      return option && option.bytes + bytes + Math.max(option.workspace, workspace) <= budget * (1 + rounding)
    })
  })
}

function cut(chosen: readonly number[], at: number): Row {
  return { name: `cut ${at}`, terms: ones(chosen.map((i, k) => uses(k, i))), upper: chosen.length - 1 }
}

function readLayouts({ values }: Point, [first]: readonly LayoutQuestion[]): readonly number[] {
  return (first?.components ?? []).map(({ options }, k) =>
    [...options.keys()].findIndex((i) => values[uses(k, i)] === 1),
  )
}

function uses(component: number, option: number): string {
  return `${component} uses ${option}`
}
