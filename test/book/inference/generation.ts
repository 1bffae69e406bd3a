/**
 * Generation as chapters 7 and 8 count it: a model with given numbers of parameters and cache bytes, on chips whose
 * network is never the limit.
 */

import { book } from '../../../src/assumptions/book.ts'
import { evaluateInference } from '../../../src/evaluate-inference.ts'
import type { Chip } from '../../../src/hardware/chip.ts'
import type { Cluster } from '../../../src/hardware/cluster/cluster.ts'
import { infer } from '../../../src/infer.ts'
import type { Architecture } from '../../../src/model/architecture.ts'
import { parameterCount } from '../../../src/model/parameters.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import type { InferencePlan } from '../../../src/plan/inference-plan.ts'
import type { InferenceSketch } from '../../../src/plan-sketch.ts'
import type { GenerateProblem } from '../../../src/problem.ts'
import { elementBytes } from '../../../src/recipe/element-type.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import type { Bytes, Seconds } from '../../../src/units.ts'
import { generation, solver } from '../../inference-problem.ts'
import { legal } from '../../legal.ts'
import { switched } from '../hardware/networks.ts'
import { modelOf } from '../models.ts'

/** Caches are counted in bytes: an element of one byte each. */
const kvCache: ElementType = 'int8'

export interface Kept {
  readonly parameters: number
  /** Keys and values of one token in all layers. */
  readonly kvBytesPerToken: Bytes
  readonly kvHeads?: number
  /** At least as many as share the heads. */
  readonly chips?: number
}

/** The width of the heads, a real number, makes the caches, that of the MLP the parameters: all of them in matmuls. */
export function modelKeeping({ parameters, kvBytesPerToken, kvHeads = 8, chips = 1 }: Kept): Transformer {
  const layers = 64
  const headDim = kvBytesPerToken / (2 * layers * kvHeads * elementBytes[kvCache])
  const heads = Math.max(40, chips)
  const letters: Partial<Architecture> = { layers, dModel: 4096, heads, kvHeads, headDim, vocab: 0 }
  const count = (dFf: number) => parameterCount(modelOf({ ...letters, dFf })).matmul
  if (parameters < count(0))
    throw new RangeError('Attention alone has more parameters: the caches are too large')
  return modelOf({ ...letters, dFf: (parameters - count(0)) / (count(1) - count(0)) })
}

export interface Generation {
  readonly model: Transformer
  readonly chip: Chip
  readonly chips: number
  readonly batch: number | 'max'
  readonly context: number
  readonly weights?: ElementType
  /** All of HBM where absent. */
  readonly memoryBudget?: Bytes
  readonly network?: Cluster['network']
  readonly maxStepSeconds?: Seconds
}

export function generationProblem(asked: Generation): GenerateProblem {
  const { model, chip, chips, batch, context, weights = 'bf16', maxStepSeconds } = asked
  const { network = switched([[null, Number.POSITIVE_INFINITY]]), memoryBudget = chip.hbmBytes } = asked
  return {
    model,
    cluster: { chip, chips, network },
    workload: generation(batch, context, maxStepSeconds === undefined ? {} : { maxStepSeconds }),
    memoryBudget,
    precision: { weights, compute: 'bf16', kvCache, gradients: 'bf16', optimizer: 'fp32' },
    asked: {},
    constraints: {},
    assumptions: book,
    objective: 'stepTime',
    top: 1,
  }
}

/** The best plan. */
export function generated(asked: Generation): InferencePlan {
  const [best] = infer(generationProblem(asked), solver).plans
  if (!best) throw new RangeError('Nothing fits')
  return best
}

/** On one mesh, with the layouts that are named; whether or not it fits. */
export function evaluated(
  asked: Generation,
  mesh: Partial<Mesh>,
  layout: InferenceSketch['layout'] = {},
): InferencePlan {
  const problem = generationProblem(asked)
  return legal(evaluateInference(problem, { mesh: { ...unitMesh, ...mesh }, layout }, solver)).plan
}

export function fits(asked: Generation): boolean {
  return infer(generationProblem(asked), solver).plans.length > 0
}
