/**
 * The layouts of a pass with several courses and stages, whose longest course is the shortest and that fit on each stage:
 *
 *   minimise  max_q T_q(x)   where   M_q(x) <= budget of each q
 *
 * Questions q have the same components and options: each has the seconds of a course and the bytes of a stage. The best of one question is the best of
 * all where no other course takes longer with it, and it fits on the other stages. Where that holds of no question, choices are tried as for one
 * (best-layouts.ts), with bounds of each question: a branch is as good as the longest of these, and fits where it fits in all.
 */
import type { Bytes, Seconds } from '../../units.ts'
import { bestLayouts, mayFit, restOf, type Search, searchOf, tie } from './best-layouts.ts'
import { accountOf, type LayoutAnswer, type LayoutQuestion } from './question.ts'

/** Of equally fast choices the one whose options come first; null where none fits. */
export function bestOfLongest(questions: readonly LayoutQuestion[]): LayoutAnswer | null {
  for (const question of questions) {
    const answer = bestLayouts(question)
    if (!answer || questions.length === 1) return answer
    const account = longestAccount(questions, answer.chosen)
    if (account.seconds <= answer.seconds * (1 + tie) && account.bytes <= question.budget) {
      return { ...answer, ...account }
    }
  }
  return bestTogether(questions)
}

/** What a choice takes on the course that takes longest with it, and on the stage where it takes the most. */
export function longestAccount(
  questions: readonly LayoutQuestion[],
  chosen: readonly number[],
): ReturnType<typeof accountOf> {
  const accounts = questions.map((question) => accountOf(question, chosen))
  return {
    seconds: Math.max(...accounts.map(({ seconds }) => seconds)),
    bytes: Math.max(...accounts.map(({ bytes }) => bytes)),
  }
}

function bestTogether(questions: readonly LayoutQuestion[]): LayoutAnswer | null {
  const current: number[] = []
  const searches = questions.map((question) => ({ ...searchOf(question), current }))
  const [first] = searches
  if (!first) return null
  const found: Found = { chosen: null, limit: Number.MAX_VALUE }
  descend(searches, first, found, {
    k: 0,
    taken: searches.map(({ least }) => ({ seconds: least, bytes: 0, workspace: 0 })),
  })
  const { chosen } = found
  return chosen && { chosen, ...longestAccount(questions, chosen), proven: true }
}

interface Found {
  chosen: readonly number[] | null
  /** Slower choices than this are of no interest. */
  limit: Seconds
}

interface Branch {
  readonly k: number
  /** By question. */
  readonly taken: readonly Taken[]
}

interface Taken {
  readonly seconds: Seconds
  readonly bytes: Bytes
  readonly workspace: Bytes
}

function descend(searches: readonly Search[], first: Search, found: Found, { k, taken }: Branch): void {
  const { components, current } = first
  const options = components[k]?.options
  if (!options) {
    found.chosen = [...current]
    found.limit = Math.max(...taken.map(({ seconds }) => seconds)) * (1 - tie)
    return
  }
  for (const i of options.keys()) {
    const next = taken.map((before, q) => withOption(searches[q] ?? first, before, k, i))
    if (next.some(({ seconds }) => seconds > found.limit)) continue
    const fits = next.every(({ bytes, workspace }, q) =>
      mayFit(searches[q] ?? first, k + 1, bytes, workspace),
    )
    if (!fits) continue
    current[k] = i
    descend(searches, first, found, { k: k + 1, taken: next })
  }
}

function withOption(search: Search, { seconds, bytes, workspace }: Taken, k: number, i: number): Taken {
  const option = search.components[k]?.options[i]
  return {
    seconds: seconds + restOf(search, k, i),
    bytes: bytes + (option?.bytes ?? 0),
    workspace: Math.max(workspace, option?.workspace ?? 0),
  }
}
