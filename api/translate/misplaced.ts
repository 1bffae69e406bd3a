/** Rejects what a request asks for although its mode does not have it; each would be legal in another mode. */
import { compact } from '../../src/compact.ts'
import { satisfies } from '../../src/constraint.ts'
import { present } from '../../src/fields.ts'
import { scheduleRow } from '../../src/recipe/schedule.ts'
import { plainContext } from '../../src/sharding/tables/context-layout.ts'
import { type Fault, faulty } from '../problems.ts'
import type { Sketch } from '../schemas/given/sketch.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import type { Mode } from '../schemas/workload/workload.ts'

const trained = {
  contextLayout: 'keys are gathered over context',
  zeroStage: 'there are no gradients and optimizer states to shard',
  microbatches: 'the groups in which sequences pass through a pipeline follow from the mesh',
  microbatchTokens: 'the groups in which sequences pass through a pipeline follow from the mesh',
  pipelineSchedule: 'there is no backward pass to schedule',
  virtualStages: 'stages are not interleaved',
  rematerialization: 'there is no backward pass to keep activations for',
  costedWith: 'what it may say is of training',
} as const

const noStates = 'there are no optimizer states to shard; tensor2 spreads weights further'

/** Axes without use in a mode: a constraint may only allow size 1. */
const unused: Readonly<Record<Mode, Partial<Record<'fsdp' | 'context', string>>>> = {
  train: {},
  prefill: { fsdp: noStates },
  generate: {
    fsdp: noStates,
    context: 'a step has one new position; the cache is spread by layouts over tensor and tensor2',
  },
  serve: { fsdp: noStates },
}

export function refuseMisplaced(constraints: OptimizeRequest['constraints'], mode: Mode): void {
  if (mode === 'train') return
  const axes = Object.entries(unused[mode]).flatMap(([axis, why]): Fault[] =>
    satisfies(1, constraints[axis as 'fsdp' | 'context'])
      ? []
      : [without(`/constraints/${axis}`, `is always 1 in mode ${mode}: ${why}`)],
  )
  refuse([...misplaced(constraints, '/constraints', mode), ...axes])
}

export function refuseMisplacedOf(plan: Sketch, mode: PlanMode): void {
  const why = plan.stepTokens === undefined ? null : withoutStepTokens[mode]
  const steps = why === null ? [] : [without('/plan/stepTokens', `has no part in mode ${mode}: ${why}`)]
  refuse([...(mode === 'train' ? inferred(plan) : misplaced(beyondIdle(plan), '/plan', mode)), ...steps])
}

/** The same of one phase of a deployment. */
export function refuseMisplacedIn(plan: Sketch, phase: 'prefill' | 'generate'): void {
  const at = `/plan/${phase}`
  const whole = ofDeployments.filter((key) => plan[key] !== undefined)
  const faults = whole.map((key) =>
    without(`${at}/${key}`, `is of the deployment, not of a phase: /plan/${key}`),
  )
  refuse([...misplaced(beyondIdle(plan), at, phase), ...faults])
}

const ofDeployments = ['stepTokens', 'cacheShare'] as const

type PlanMode = Exclude<Mode, 'serve'>

/** Why a plan does not say how many tokens a step has at most; null where it may. */
const withoutStepTokens: Readonly<Record<PlanMode, string | null>> = {
  train: 'microbatches say how many tokens run at once',
  prefill: null,
  generate: 'a step has one position of each sequence, and those that a draft proposes',
}

function inferred({ layout, batchSequences, cacheShare, pipelineSchedule }: Sketch): readonly Fault[] {
  const written = layout !== undefined && !('components' in layout)
  return compact(
    written &&
      without('/plan/layout', 'has no part in mode train: its layouts follow from mesh and zeroStage'),
    batchSequences !== undefined &&
      without('/plan/batchSequences', "has no part in mode train: the batch is the workload's"),
    cacheShare !== undefined && without('/plan/cacheShare', 'has no part in mode train: there are no caches'),
    pipelineSchedule === 'in-flight' &&
      without('/plan/pipelineSchedule', 'is of inference: training has a backward pass'),
  )
}

/** The fields of training that an inference plan sets to more than its neutral value; answers give the neutral ones. */
function beyondIdle(plan: Sketch): object {
  const { zeroStage, contextLayout, pipelineSchedule = 'in-flight', virtualStages = 1 } = plan
  const { rematerialization, costedWith } = plan
  const pipelined = pipelineSchedule !== 'in-flight' && scheduleRow({ name: pipelineSchedule }).pipelined
  return present({
    zeroStage: zeroStage === 0 ? null : zeroStage,
    contextLayout: contextLayout === plainContext ? null : contextLayout,
    pipelineSchedule: pipelined ? pipelineSchedule : null,
    virtualStages: virtualStages === 1 ? null : virtualStages,
    rematerialization: rematerialization?.length === 0 ? null : rematerialization,
    costedWith,
  })
}

function misplaced(given: object, above: string, mode: Mode): Fault[] {
  return Object.entries(trained)
    .filter(([key]) => Object.hasOwn(given, key))
    .map(([key, why]) => without(`${above}/${key}`, `has no part in mode ${mode}: ${why}`))
}

function without(pointer: string, detail: string): Fault {
  return { pointer, detail, correction: [{ pointer, value: null }] }
}

function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw faulty('impossible-combination', faults)
}
