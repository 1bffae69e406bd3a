/** From a question and the plan of a request to the two together: all seven axes named, nothing of another mode in it. */
import { unitMesh } from '../../src/sharding/axis.ts'
import { faultyValue } from '../problems.ts'
import type { Question, Trial } from '../question.ts'
import type { Sketch } from '../schemas/sketch.ts'
import { refuseMisplacedOf } from './misplaced.ts'
import { refuseUnknownPoliciesOf } from './policies.ts'

export function trialOf(question: Question, plan: Sketch): Trial {
  if (question.mode === 'serve') {
    const detail = 'a plan is of one phase: evaluate it as prefill or as generate'
    throw faultyValue('impossible-combination', { pointer: '/workload/mode', detail })
  }
  refuseMisplacedOf(plan, question.mode)
  const mesh = { ...unitMesh, ...plan.mesh }
  const { layout = {}, placement, ...training } = plan
  const placed = placement ? { placement } : {}
  if (question.mode !== 'train') return { ...question, sketch: { mesh, ...placed, layout } }
  refuseUnknownPoliciesOf(plan)
  return { ...question, sketch: { ...training, ...placed, mesh } }
}
