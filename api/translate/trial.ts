/** Combines a question with the plan of its request: all seven axes are filled in, and fields of other modes are rejected. */
import { present } from '../../src/fields.ts'
import type { Question, Trial } from '../../src/modes/question.ts'
import type { InstanceSketch, ServeSketch } from '../../src/plan-sketch.ts'
import { type PlanFault, wayText } from '../../src/rules/part-rule.ts'
import { unitMesh } from '../../src/sharding/axis.ts'
import type { Fault } from '../problems.ts'
import type { ServeSketchRequest } from '../schemas/given/serve-sketch.ts'
import type { Sketch } from '../schemas/given/sketch.ts'
import { valueAt } from '../validation/json-pointer.ts'
import { refuseMisplacedIn, refuseMisplacedOf } from './misplaced.ts'
import { refuseUnknownPoliciesOf } from './policies.ts'

/**
 * In mode `serve` the schema has made sure that the plan is a deployment. `runElsewhere` if the plan is a launch file of a framework that
 * no files are written for.
 */
export function trialOf(
  question: Question,
  written: Sketch | ServeSketchRequest,
  runElsewhere = false,
): Trial {
  if (question.mode === 'serve') return { ...question, sketch: serveSketchOf(written as ServeSketchRequest) }
  const plan = written as Sketch
  refuseMisplacedOf(plan, question.mode)
  const { placement, microbatches, microbatchTokens } = plan
  const mesh = { ...unitMesh, ...plan.mesh }
  const shared = { mesh, ...present({ placement, microbatches, microbatchTokens }) }
  if (question.mode !== 'train') {
    const { batchSequences, stepTokens, cacheShare } = plan
    const own = present({ batchSequences, stepTokens, cacheShare })
    return { ...question, sketch: { ...shared, ...own, layout: layoutOf(plan) } }
  }
  refuseUnknownPoliciesOf(plan)
  const { zeroStage, contextLayout, virtualStages, stageLayers, rematerialization } = plan
  const pipelineSchedule = plan.pipelineSchedule === 'in-flight' ? null : plan.pipelineSchedule
  const chosen = { zeroStage, contextLayout, pipelineSchedule, virtualStages, stageLayers, rematerialization }
  const problem = { ...question.problem, runElsewhere }
  return { ...question, problem, sketch: { ...shared, ...present(chosen) } }
}

function serveSketchOf(plan: ServeSketchRequest): ServeSketch {
  const { disaggregated, prefill, generate, maxSequences, stepTokens, contextLength, cacheShare } = plan
  return present({
    ...{ cacheShare, disaggregated, maxSequences, stepTokens, contextLength },
    prefill: prefill && instanceOf(prefill, 'prefill'),
    generate: generate && instanceOf(generate, 'generate'),
  })
}

function instanceOf(
  plan: NonNullable<ServeSketchRequest['prefill']>,
  phase: 'prefill' | 'generate',
): InstanceSketch {
  const { mesh, placement, layout, instances, topology, slices } = plan
  const { batchSequences, microbatches, microbatchTokens } = plan
  refuseMisplacedIn({ mesh: {}, ...plan }, phase)
  return present({
    ...{ placement, instances, topology, slices, batchSequences, microbatches, microbatchTokens },
    mesh: mesh && { ...unitMesh, ...mesh },
    layout: layout && layoutOf({ layout }),
  })
}

/** Legal alternatives are listed in words; a single one is also proposed as a correction. */
export function asWritten(faults: readonly PlanFault[], plan: Sketch | ServeSketchRequest): readonly Fault[] {
  return faults.map(({ pointer, detail, nearest = [] }) => {
    const [only] = nearest
    return {
      pointer: inPlan(pointer, plan),
      detail,
      ...(nearest.length > 0 ? { suggestions: nearest.map(wayText) } : {}),
      ...(only && nearest.length === 1
        ? { correction: only.map((change) => ({ ...change, pointer: inPlan(change.pointer, plan) })) }
        : {}),
    }
  })
}

/** In a plan copied from an answer, layouts of components are under `components`. */
function inPlan(pointer: string, plan: Sketch | ServeSketchRequest): string {
  const [, at = '', component] = /^(\/plan(?:\/\w+)?\/layout)\/(.*)$/.exec(pointer) ?? []
  const layout = valueAt({ plan }, at.split('/').slice(1)) as Sketch['layout']
  return component !== undefined && isAnswered(layout) ? `${at}/components/${component}` : pointer
}

function layoutOf({ layout = {} }: Pick<Sketch, 'layout'>): Readonly<Record<string, string>> {
  return isAnswered(layout) ? layout.components : layout
}

export type AnsweredLayout = Extract<NonNullable<Sketch['layout']>, { readonly components: unknown }>

function isAnswered(layout: Sketch['layout']): layout is AnsweredLayout {
  return layout !== undefined && 'components' in layout
}
