/** Choices of a written training plan beside its mesh, each of which may be left to the search alone. */
import type { Suggestion } from '../plan/answer.ts'
import type { Plan } from '../plan/plan.ts'
import type { PlanSketch } from '../plan-sketch.ts'
import type { Problem } from '../problem.ts'
import type { Change } from '../rules/part-rule.ts'
import type { Asked, Changed } from './remedied.ts'

interface Choice {
  readonly change: string
  /** The fields that say it; the first one alone says what is chosen in their place. */
  readonly fields: readonly [keyof PlanSketch, ...(keyof PlanSketch)[]]
  readonly value: (plan: Plan) => unknown
  readonly text: (plan: Plan) => string
}

const rows: readonly Choice[] = [
  {
    change: 'another rematerialisation',
    fields: ['rematerialization'],
    value: ({ rematerialization }) => rematerialization,
    text: ({ rematerialization }) =>
      rematerialization.map(({ policy, layers }) => `${policy} on ${layers} layers`).join(', '),
  },
  {
    change: 'other microbatches',
    fields: ['microbatches', 'microbatchTokens'],
    value: ({ microbatches }) => microbatches,
    text: ({ microbatches, microbatchTokens }) => `${microbatches} of ${microbatchTokens} tokens`,
  },
  {
    change: 'another ZeRO stage',
    fields: ['zeroStage'],
    value: ({ zeroStage }) => zeroStage,
    text: ({ zeroStage }) => `stage ${zeroStage}`,
  },
  {
    change: 'another pipeline schedule',
    fields: ['pipelineSchedule', 'virtualStages', 'stageLayers'],
    value: ({ pipelineSchedule }) => pipelineSchedule,
    text: ({ pipelineSchedule, virtualStages }) => `${pipelineSchedule} with ${virtualStages} virtual stages`,
  },
]

export const choiceFields = rows.flatMap(({ fields }) => fields)

/** The plan with one of its choices changed to what the search would choose, for each choice with which it runs. */
export function chosenAlone({
  problem,
  sketch,
  fitting,
}: Asked<Problem, PlanSketch, Plan>): readonly Changed<Plan>[] {
  return rows.flatMap(({ change, fields, value, text }) => {
    const [main, ...rest] = fields
    if (fields.every((field) => sketch[field] === undefined)) return []
    const free = without(sketch, fields)
    const chosen = fitting(problem, free)
    const plan = chosen && fitting(problem, { ...free, [main]: value(chosen) })
    if (!plan) return []
    const { also = [] } = dropped(sketch, rest)
    const own: Change = { pointer: `/plan/${main}`, value: value(chosen) }
    return [{ change, text: text(chosen), changes: [own, ...also], plan }]
  })
}

export function without(sketch: PlanSketch, fields: readonly (keyof PlanSketch)[]): PlanSketch {
  const left = Object.entries(sketch).filter(([field]) => !fields.includes(field as keyof PlanSketch))
  return { mesh: sketch.mesh, ...Object.fromEntries(left) }
}

export function dropped<Sketch>(
  sketch: Sketch,
  fields: readonly (keyof Sketch & string)[],
): Pick<Suggestion, 'also'> {
  const there = fields.filter((field) => sketch[field] !== undefined)
  return there.length > 0 ? { also: there.map((field) => ({ pointer: `/plan/${field}`, value: null })) } : {}
}
