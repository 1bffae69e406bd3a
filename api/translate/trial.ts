/** From a question and the plan of a request to the two together: all seven axes named, nothing of another mode in it. */
import { type PlanFault, wayText } from '../../src/rules/part-rule.ts'
import { unitMesh } from '../../src/sharding/axis.ts'
import { type Fault, faultyValue } from '../problems.ts'
import type { Sketch } from '../schemas/given/sketch.ts'
import type { Question, Trial } from '../worker/question.ts'
import { refuseMisplacedOf } from './misplaced.ts'
import { refuseUnknownPoliciesOf } from './policies.ts'

export function trialOf(question: Question, plan: Sketch): Trial {
  if (question.mode === 'serve') {
    const detail = 'a plan is of one phase: evaluate it as prefill or as generate'
    throw faultyValue('impossible-combination', { pointer: '/workload/mode', detail })
  }
  refuseMisplacedOf(plan, question.mode)
  const { microbatches, microbatchTokens, zeroStage, virtualStages, stageLayers, rematerialization } = plan
  const shared = {
    mesh: { ...unitMesh, ...plan.mesh },
    ...(plan.placement ? { placement: plan.placement } : {}),
    ...(microbatches === undefined ? {} : { microbatches }),
    ...(microbatchTokens === undefined ? {} : { microbatchTokens }),
  }
  if (question.mode !== 'train') {
    const { batchSequences } = plan
    const batch = batchSequences === undefined ? {} : { batchSequences }
    return { ...question, sketch: { ...shared, ...batch, layout: layoutOf(plan) } }
  }
  refuseUnknownPoliciesOf(plan)
  const { contextLayout, pipelineSchedule } = plan
  const sketch = {
    ...shared,
    ...(zeroStage === undefined ? {} : { zeroStage }),
    ...(contextLayout ? { contextLayout } : {}),
    ...(pipelineSchedule && pipelineSchedule !== 'in-flight' ? { pipelineSchedule } : {}),
    ...(virtualStages === undefined ? {} : { virtualStages }),
    ...(stageLayers ? { stageLayers } : {}),
    ...(rematerialization ? { rematerialization } : {}),
  }
  return { ...question, sketch }
}

/** What is legal instead is told in words; where there is but one way, it is what was meant. */
export function asWritten(faults: readonly PlanFault[], plan: Sketch): readonly Fault[] {
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

/** Layouts of components stand under `components`, if the plan is as in an answer. */
function inPlan(pointer: string, { layout }: Sketch): string {
  return isAnswered(layout) ? pointer.replace(/^\/plan\/layout\//, '/plan/layout/components/') : pointer
}

function layoutOf({ layout = {} }: Sketch): Readonly<Record<string, string>> {
  return isAnswered(layout) ? layout.components : layout
}

export type AnsweredLayout = Extract<NonNullable<Sketch['layout']>, { readonly components: unknown }>

function isAnswered(layout: Sketch['layout']): layout is AnsweredLayout {
  return layout !== undefined && 'components' in layout
}
