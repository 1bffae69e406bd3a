/** Checks how far a plan is from the best that the constraints allow, in any mode, by that mode's ranking. */
import { compact } from '../compact.ts'
import type { AgainstFirst } from '../plan/certainty/ties.ts'
import { percent } from '../plan/explain/figures.ts'
import type { Findings, Outcome, Remedy } from './check.ts'
import { nearestWhere } from './one-change.ts'

interface Summarised {
  readonly summary: string
  readonly againstFirst: AgainstFirst | null
}

/** `heldBack` says what the plan's own limits keep it from, as sentences. */
export function withinOf<Found extends Summarised>(
  sameAsBest: (best: Found) => Remedy,
  heldBack: (plan: Found, best: Found) => readonly string[] = () => [],
) {
  return (share: number, findings: Findings<Found>): Outcome => {
    const { best, exact, runs } = findings
    const { plan } = findings.evaluation
    const { says, measure, text } = findings.ranking
    const expected = `at most ${percent(share)} over the best`
    if (!runs) {
      const message = `Not judged, though ${expected} is required: the plan does not fit or is over a limit, so that nothing runs in the time that it would take.`
      return {
        ok: false,
        expected,
        actual: 'not judged',
        message,
        ...(best ? { nearest: [sameAsBest(best)] } : {}),
      }
    }
    if (!best) {
      const none = exact
        ? 'No plan that the constraints allow fits and can be launched: there is none to compare with.'
        : 'The search had to stop before it found any plan: ask with a longer timeoutMs.'
      return { ok: exact, expected, actual: exact ? 'no other' : 'not known', message: none }
    }
    const [own, least] = [measure(plan), measure(best)]
    const over = own / least - 1
    const holds = (one: Found) => measure(one) / least - 1 <= share + rounding
    const ok = holds(plan)
    const apart = over >= 0 ? `${percent(over)} over` : `${percent(-over)} under`
    const which = exact ? 'the best' : 'the best so far, as the search had to stop'
    return {
      ok,
      expected,
      actual: apart,
      message: compact(
        `${says} ${text(own)}, ${apart} the ${text(least)} of ${which}, ${best.summary}; ${expected} is required.`,
        plan.againstFirst?.tied && own > least && tiedText,
        !ok && heldBack(plan, best),
      ).join(' '),
      ...nearestWhere(holds, findings, sameAsBest),
    }
  }
}

const tiedText = 'As far as measured runs tell, it is tied with the fastest.'

/** Relative difference that comes from the order of summation alone. */
const rounding = 1e-9
