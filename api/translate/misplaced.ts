/** What a request asks for that its mode has no part for: each by itself is legal, in another mode. */
import { satisfies } from '../../src/problem.ts'
import { type Fault, ProblemError } from '../problems.ts'
import type { OptimizeRequest } from '../schemas/optimize.ts'
import type { Sketch } from '../schemas/sketch.ts'
import type { Mode } from '../schemas/workload.ts'

const trained = {
  zeroStage: 'there are no gradients and optimizer states to shard',
  microbatches: 'how sequences go through a pipeline in groups follows from the mesh',
  microbatchTokens: 'how sequences go through a pipeline in groups follows from the mesh',
  pipelineSchedule: 'there is no backward pass to schedule',
  virtualStages: 'stages are not interleaved',
  rematerialization: 'there is no backward pass to keep activations for',
} as const

/** Axes that are of no use in a mode: a constraint may only say so too. */
const unused: Readonly<Record<Mode, Partial<Record<'fsdp' | 'context', string>>>> = {
  train: {},
  prefill: { fsdp: 'there are no optimizer states to shard; tensor2 spreads weights further' },
  generate: {
    fsdp: 'there are no optimizer states to shard; tensor2 spreads weights further',
    context: 'a step has one new position; the cache is spread by layouts over tensor and tensor2',
  },
  serve: { fsdp: 'there are no optimizer states to shard; tensor2 spreads weights further' },
}

export function refuseMisplaced(constraints: OptimizeRequest['constraints'], mode: Mode): void {
  if (mode === 'train') return
  const axes = Object.entries(unused[mode]).flatMap(([axis, why]): Fault[] =>
    satisfies(1, constraints[axis as 'fsdp' | 'context'])
      ? []
      : [{ pointer: `/constraints/${axis}`, detail: `is always 1 in mode ${mode}: ${why}` }],
  )
  refuse([...misplaced(constraints, '/constraints', mode), ...axes])
}

export function refuseMisplacedOf(plan: Sketch, mode: Mode): void {
  refuse(mode === 'train' ? inferred(plan) : misplaced(plan, '/plan', mode))
}

function inferred({ layout }: Sketch): Fault[] {
  if (layout === undefined) return []
  const detail = 'has no part in mode train: its layouts follow from mesh and zeroStage'
  return [{ pointer: '/plan/layout', detail }]
}

function misplaced(given: object, above: string, mode: Mode): Fault[] {
  return Object.entries(trained)
    .filter(([key]) => Object.hasOwn(given, key))
    .map(([key, why]) => ({ pointer: `${above}/${key}`, detail: `has no part in mode ${mode}: ${why}` }))
}

function refuse(faults: readonly Fault[]): void {
  const [first] = faults
  if (first) throw new ProblemError('impossible-combination', `${first.pointer}: ${first.detail}`, faults)
}
