/** A training problem under the book's assumptions, and the memory of its fullest chip. */

import { book } from '../../../src/assumptions/book.ts'
import { createScale, type Scale, setBatch, setMesh } from '../../../src/cost/compile/term.ts'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { memoryNumbers } from '../../../src/cost/memory/memory-numbers.ts'
import { activationBytes, fixedBytes, type Mix, shortBytes } from '../../../src/cost/memory/stage-memory.ts'
import { type CostModel, stageModel } from '../../../src/cost/model.ts'
import { stageGroups } from '../../../src/cost/step/stages.ts'
import type { Chip } from '../../../src/hardware/chip.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import type { Problem } from '../../../src/problem.ts'
import { type Mesh, meshSize, unitMesh } from '../../../src/sharding/axis.ts'
import type { ZeroStage } from '../../../src/sharding/states.ts'
import type { Bytes } from '../../../src/units.ts'
import { freely } from '../../rounding.ts'
import { inventedChip } from '../chips.ts'
import { switched } from '../hardware/networks.ts'
import { precisionOf } from '../precision.ts'

const leanest = 'full'

export interface Training {
  readonly model: Transformer
  readonly chip?: Chip
  readonly network?: Problem['cluster']['network']
  readonly batchTokens?: number
  readonly sequenceLength?: number
  readonly mesh?: Partial<Mesh>
  readonly zeroStage?: ZeroStage
  /** The policy of all layers; the leanest where absent. */
  readonly policy?: string
}

export function problemOf(training: Training): Problem {
  const { model, chip = inventedChip(1e15), batchTokens = 1, sequenceLength = 1, mesh } = training
  const rematerialization = [training.policy ?? leanest]
  const { network = switched([[null, 1e9]]) } = training
  return {
    model,
    cluster: { chip, chips: meshSize({ ...unitMesh, ...mesh }), network },
    workload: { mode: 'train', batchTokens, sequenceLength, optimizer: 'adamw', rematerialization },
    memoryBudget: chip.hbmBytes,
    precision: precisionOf(),
    asked: {},
    constraints: {},
    assumptions: book,
    objective: 'stepTime',
    top: 1,
  }
}

export interface Memory {
  /** Weights, gradients and optimizer. */
  readonly states: Bytes
  readonly activations: Bytes
  /** Over the budget, where positive. */
  readonly short: Bytes
}

/** Of one pipeline stage and one microbatch. */
export function memoryOf(training: Training): Memory {
  const problem = problemOf(training)
  const model = costModel(problem)
  const scale = scaleOf(model, training)
  const numbers = memoryNumbers(model, stageModel(model, training.zeroStage ?? 0), scale)
  const groups = stageGroups([problem.model.layers], { name: 'none', virtualStages: 1 }, 1)
  const [group] = groups
  if (!group) throw new RangeError('A model lies on at least one stage')
  const mix = mixOf(model, training.policy ?? leanest)
  return {
    states: fixedBytes(numbers, group),
    activations: activationBytes(numbers, group, mix),
    short: shortBytes(numbers, groups, mix, problem.memoryBudget),
  }
}

export function scaleOf(model: CostModel, { mesh }: Training, microbatches = 1): Scale {
  const { workload } = model.problem
  const scale = createScale()
  setMesh(scale, { ...unitMesh, ...mesh }, model.extents, freely)
  setBatch(scale, workload.batchTokens / workload.sequenceLength / microbatches)
  return scale
}

export function mixOf(model: CostModel, name: string): Mix {
  const policy = model.policies.findIndex((one) => one.name === name)
  if (policy < 0) throw new RangeError(`The book counts no policy ${name}`)
  return { policy, other: policy, count: 0 }
}
