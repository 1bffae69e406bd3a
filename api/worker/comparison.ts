/** Works out a comparison: each variant gets its share of the time, and is compared with the first. */
import { compact } from '../../src/compact.ts'
import type { Chip } from '../../src/hardware/chip.ts'
import type { Answer, Question, Trial, Verdict } from '../../src/modes/question.ts'
import { type Patience, within } from '../../src/patience.ts'
import { difference } from '../../src/plan/comparison.ts'
import type { ServePlan } from '../../src/plan/inference-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { serveDifference } from '../../src/plan/serve/comparison.ts'
import type { Catalogue } from '../catalogue.ts'
import { faultyValue } from '../problems.ts'
import { timedOut } from '../queue/deadline.ts'
import {
  type CompareBody,
  type Comparison,
  shownFields,
  shownOfDeployment,
  type Variant,
} from '../schemas/compare.ts'
import { pricedApart } from '../translate/prices.ts'
import { pointingAt } from '../validation/variants.ts'
import { evaluateBody, evaluateQuestion, optimizeBody, optimizeQuestion } from './desk.ts'

export interface Planner {
  readonly optimized: (question: Question, patience: Patience) => Answer
  readonly evaluated: (trial: Trial, patience: Patience) => Verdict
}

interface Found {
  readonly name: string
  readonly mode: string
  readonly best: boolean
  readonly plan: Plan | ServePlan | null
  readonly noPlan: readonly string[]
  readonly warnings: readonly string[]
  readonly chip: Chip
}

export function compareBody(
  { asked, variants, timeoutMs }: Comparison,
  catalogue: Catalogue,
  planner: Planner,
  patience: Patience,
): CompareBody {
  const each = 1 / variants.length
  const found = variants.map((variant, at) => {
    // A written plan is evaluated whole, so that time is asked for between them.
    if (at > 0 && patience(1)()) throw timedOut(timeoutMs, `${at} of ${variants.length} variants were costed`)
    return pointingAt(asked, at, () =>
      foundOf(variant, catalogue, planner, within(patience, at * each, (at + 1) * each)),
    )
  })
  const [first] = found
  if (!first) throw new RangeError('A comparison has variants')
  const other = found.findIndex(({ mode }) => mode !== first.mode)
  if (other >= 0) {
    const detail = `is ${found[other]?.mode}; the first is ${first.mode}: plans of one mode are compared`
    throw faultyValue('impossible-combination', { pointer: `/variants/${other}/workload/mode`, detail })
  }
  const shared = first.warnings.filter((warning) => found.every(({ warnings }) => warnings.includes(warning)))
  return {
    mode: first.mode,
    variants: found.map(({ mode: _, chip, plan, noPlan, warnings, ...named }, at) => ({
      ...named,
      plan: plan && shown(plan),
      noPlan: [...noPlan],
      difference: at > 0 && plan && first.plan ? differing(first, first.plan, named.name, plan) : null,
      warnings: compact(
        warnings.filter((warning) => !shared.includes(warning)),
        at > 0 && plan && pricedApart(first.chip, chip, catalogue),
      ),
    })),
    warnings: shared,
  } as CompareBody
}

/** Both plans are of one mode. */
function differing(first: Found, before: Plan | ServePlan, name: string, plan: Plan | ServePlan) {
  if (isDeployment(before) && isDeployment(plan)) {
    return serveDifference({ name: first.name, plan: before }, { name, plan })
  }
  return difference({ name: first.name, plan: before as Plan }, { name, plan: plan as Plan })
}

function isDeployment(plan: Plan | ServePlan): plan is ServePlan {
  return 'generate' in plan
}

function foundOf(
  { name, request }: Variant,
  catalogue: Catalogue,
  planner: Planner,
  patience: Patience,
): Found {
  if ('plan' in request) {
    const asked = evaluateQuestion(request, catalogue)
    const { plan, warnings } = evaluateBody(asked, planner.evaluated(asked.trial, patience))
    const { chip } = asked.trial.problem.cluster
    return { name, mode: asked.trial.mode, best: false, plan, noPlan: [], warnings, chip }
  }
  const asked = optimizeQuestion({ ...request, top: 1 }, catalogue)
  const body = optimizeBody(request, asked, planner.optimized(asked, patience))
  const [plan] = body.plans
  const reasons = body.infeasible?.reasons ?? []
  const noPlan = plan ? [] : reasons.map(({ reason, detail }) => `${reason}: ${detail}`)
  const { chip } = asked.problem.cluster
  return { name, mode: asked.mode, best: true, plan: plan ?? null, noPlan, warnings: body.warnings, chip }
}

/** The fields that are compared; /evaluate has the rest. */
function shown(plan: Plan | ServePlan): Readonly<Record<string, unknown>> {
  const names = isDeployment(plan) ? shownOfDeployment : shownFields
  return Object.fromEntries(Object.entries(plan).filter(([name]) => names.includes(name)))
}
