/** Writes the plans of an answer as a table: for a terminal, in Markdown, as HTML, or as CSV. */
import { compact } from '../../src/compact.ts'
import { bestRecipeText } from '../../src/plan/certainty/best-recipe.ts'
import { counted } from '../../src/plan/explain/figures.ts'
import type { ServePlan } from '../../src/plan/inference-plan.ts'
import type { OptimizeBody } from '../worker/desk.ts'
import { csv } from './csv.ts'
import { type AnyPlan, columnsOf } from './plan-columns.ts'
import { sheetReport } from './sheet.ts'

export const plansReport = sheetReport<OptimizeBody>((answer) => {
  const columns = columnsOf(answer.mode)
  const rows = (answer.plans as readonly AnyPlan[]).map((plan) => columns.map(({ text }) => text(plan)))
  const heads = columns.map(({ head }) => head)
  return { title: 'shardplan: the best plans', heads, rows, remarks: remarks(answer) }
}, plansCsv)

/** The first line has the names of the columns. */
export function plansCsv({
  mode,
  plans,
  search,
}: Pick<OptimizeBody, 'mode' | 'plans'> & Partial<Pick<OptimizeBody, 'search'>>): string {
  const columns = columnsOf(mode)
  // Whether a search had the time to prove that these are the best; a plan that somebody wrote was not searched for.
  const [heads, cells] = search ? [['exact'], [String(search.exact)]] : [[], []]
  const rows = (plans as readonly AnyPlan[]).map((plan) => [
    ...columns.map(({ value }) => value(plan)),
    ...cells,
  ])
  return csv([[...columns.map(({ name }) => name), ...heads], ...rows])
}

function remarks(answer: OptimizeBody): readonly string[] {
  const { plans, search, unlaunchable, infeasible, warnings } = answer
  const { enumerated, exact } = search
  return compact(
    exact
      ? `${counted(enumerated, 'layout')}, ${infeasible ? 'none of which will do' : 'the best of all'}.`
      : `Of ${counted(enumerated, 'layout')} that were come to, the best so far.`,
    nearlyAsGood(answer),
    'alternative' in answer && answer.alternative && alternativeText(answer.alternative),
    unlaunchable && notLaunched(unlaunchable, plans[0]),
    infeasible && [
      ...infeasible.reasons.map(({ reason, detail }) => `No plan, ${reason}: ${detail}.`),
      ...infeasible.suggestions.map(
        ({ change, pointer, value, detail }) =>
          `Would do: ${change}: ${detail} (${pointer} ${JSON.stringify(value)}).`,
      ),
    ],
    warnings.map((warning) => `Warning: ${warning}`),
  )
}

/** Mentions the preferred plan if it is not the first, and published layouts if there are any. */
function nearlyAsGood(answer: OptimizeBody): readonly string[] {
  const { preferred, recipes } = { recipes: [], ...answer }
  const rather =
    preferred && preferred.rank > 1
      ? [`Rather plan ${preferred.rank}, as good as can be told: ${preferred.reasons.join('; ')}.`]
      : []
  const tied =
    preferred?.more === true &&
    `Plans that are as good as can be told go on after plan ${answer.plans.length}: with a larger top another one may be the one to take.`
  const published = `${counted(recipes.length, 'published layout')} of this model on such chips (recipes, in JSON)`
  const [first] = answer.plans
  const best = bestRecipeText(recipes, first && 'mfu' in first ? first : null, answer.precision.compute)
  return compact(rather, tied, recipes.length > 0 && (best ? `${published}: ${best}` : `${published}.`))
}

/** At a rate that is asked for the best takes the fewest chips; others that are listed may sustain more. */
function alternativeText({ disaggregated, summary, requestsPerSecond, queueing }: ServePlan): string {
  const kind = disaggregated ? 'With the phases apart' : 'With both phases on the same servers'
  if (queueing.arrivalsPerSecond < requestsPerSecond) return `${kind} that takes ${summary}.`
  return `${kind} at best ${summary}: ${requestsPerSecond.toPrecision(3)} requests a second.`
}

/** The best plan that no framework launches, if the printed digits show that it is better, with the first reason against it. */
function notLaunched(
  { plan, advantage, reasons }: NonNullable<OptimizeBody['unlaunchable']>,
  first: Pick<AnyPlan, 'summary'> | undefined,
): readonly string[] {
  if (advantage !== null && advantage < 1.005) return []
  const [lacking] = Object.values(reasons).flat()
  const better = advantage === null ? '' : `, ${advantage.toFixed(2)} times better`
  // A summary does not say which ranks are neighbours: that may be all that differs.
  const what = plan.summary === first?.summary ? 'plan 1 laid out otherwise' : plan.summary
  return [`No framework that is assumed launches ${what}${better}${lacking ? `: ${lacking}` : ''}.`]
}
