/**
 * The layouts of a pass with several courses, whose longest course is the shortest:
 *
 *   minimise  max_q T_q(x)
 *
 * Questions q differ in seconds alone. The best of one question is the best of all where no other course takes longer with it. Where that holds of
 * no question, choices are tried as for one (best-layouts.ts), with a bound of each question: a branch is as good as the longest of these.
 */
import type { Seconds } from '../../units.ts'
import { bestLayouts, mayFit, restOf, type Search, searchOf, tie } from './best-layouts.ts'
import { accountOf, type LayoutAnswer, type LayoutQuestion } from './question.ts'

/** Of equally fast choices the one whose options come first; null where none fits. */
export function bestOfLongest(questions: readonly LayoutQuestion[]): LayoutAnswer | null {
  for (const question of questions) {
    const answer = bestLayouts(question)
    if (!answer || questions.length === 1) return answer
    const seconds = longestSeconds(questions, answer.chosen)
    if (seconds <= answer.seconds * (1 + tie)) return { ...answer, seconds }
  }
  return bestTogether(questions)
}

/** The time of a choice on the course that takes longest with it. */
export function longestSeconds(questions: readonly LayoutQuestion[], chosen: readonly number[]): Seconds {
  return Math.max(...questions.map((question) => accountOf(question, chosen).seconds))
}

function bestTogether(questions: readonly LayoutQuestion[]): LayoutAnswer | null {
  const current: number[] = []
  const searches = questions.map((question) => ({ ...searchOf(question), current }))
  const [first] = searches
  const [question] = questions
  if (!first || !question) return null
  const found: Found = { chosen: null, limit: Number.MAX_VALUE }
  descend(searches, first, found, {
    k: 0,
    totals: searches.map(({ least }) => least),
    bytes: 0,
    workspace: 0,
  })
  const { chosen } = found
  if (!chosen) return null
  const { bytes } = accountOf(question, chosen)
  return { chosen, seconds: longestSeconds(questions, chosen), bytes, proven: true }
}

interface Found {
  chosen: readonly number[] | null
  /** Slower choices than this are of no interest. */
  limit: Seconds
}

interface Branch {
  readonly k: number
  readonly totals: readonly Seconds[]
  readonly bytes: number
  readonly workspace: number
}

function descend(searches: readonly Search[], first: Search, found: Found, branch: Branch): void {
  const { k, totals, bytes, workspace } = branch
  const { components, current } = first
  const options = components[k]?.options
  if (!options) {
    found.chosen = [...current]
    found.limit = Math.max(...totals) * (1 - tie)
    return
  }
  for (const [i, option] of options.entries()) {
    const own = totals.map((total, q) => total + restOf(searches[q] ?? first, k, i))
    if (own.some((total) => total > found.limit)) continue
    const next = { k: k + 1, totals: own, bytes: bytes + option.bytes }
    const working = Math.max(workspace, option.workspace)
    if (!mayFit(first, next.k, next.bytes, working)) continue
    current[k] = i
    descend(searches, first, found, { ...next, workspace: working })
  }
}
