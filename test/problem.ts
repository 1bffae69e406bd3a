/** A problem as the service would make it from a request: names from the catalogue, defaults for the rest. */
import type { Assumptions } from '../src/assumptions/assumptions.ts'
import { book } from '../src/assumptions/book.ts'
import { calibrated } from '../src/assumptions/calibrated.ts'
import type { NetworkOverride } from '../src/hardware/cluster/cluster-request.ts'
import { resolveCluster } from '../src/hardware/cluster/resolve.ts'
import { type Architecture, transformer } from '../src/model/architecture.ts'
import type { Precision, Problem, TrainWorkload } from '../src/problem.ts'
import { catalogueChip, catalogueModel } from './catalogue.ts'

export interface ProblemOptions extends Partial<Omit<Problem, 'model' | 'cluster' | 'assumptions'>> {
  /** A catalogue name, or an architecture. */
  readonly model: string | Architecture
  readonly chip: string
  readonly chips?: number
  readonly topology?: readonly number[]
  readonly slices?: number
  readonly network?: NetworkOverride
  readonly batchTokens: number
  readonly sequenceLength: number
  /** `calibrated` where absent; an object overrides single numbers of its basis. */
  readonly assumptions?: Assumptions['basis'] | (Partial<Assumptions> & Pick<Assumptions, 'basis'>)
  readonly optimizer?: TrainWorkload['optimizer']
  readonly rematerialization?: readonly string[]
  readonly schedules?: TrainWorkload['schedules']
  /** Of HBM, where no `memoryBudget` is given. */
  readonly memoryFraction?: number
}

export const bf16: Precision = {
  weights: 'bf16',
  compute: 'bf16',
  kvCache: 'bf16',
  gradients: 'bf16',
  optimizer: 'fp32',
}

export function problem(options: ProblemOptions): Problem {
  const { model, batchTokens, sequenceLength, assumptions = 'calibrated', memoryFraction = 1 } = options
  const overrides = typeof assumptions === 'string' ? {} : assumptions
  const basis = typeof assumptions === 'string' ? assumptions : assumptions.basis
  const chip = catalogueChip(options.chip, basis)
  const { chips, topology, slices, network } = options
  const resolution = resolveCluster({ chip, chips, topology, slices, network })
  if ('problem' in resolution) throw new RangeError(resolution.problem.detail)
  const { rematerialization, schedules, optimizer = 'adamw' } = options
  return {
    model: typeof model === 'string' ? catalogueModel(model) : transformer('own', model),
    cluster: resolution.cluster,
    asked: {
      ...(chips === undefined ? {} : { chips }),
      ...(topology === undefined ? {} : { topology }),
      ...(slices === undefined ? {} : { slices }),
      ...(network === undefined ? {} : { network }),
    },
    workload: options.workload ?? {
      mode: 'train',
      batchTokens,
      sequenceLength,
      optimizer,
      ...(rematerialization ? { rematerialization } : {}),
      ...(schedules ? { schedules } : {}),
    },
    memoryBudget: options.memoryBudget ?? memoryFraction * chip.hbmBytes,
    precision: options.precision ?? bf16,
    constraints: options.constraints ?? {},
    assumptions: { ...(basis === 'book' ? book : calibrated(chip.kind, chip.efficiency)), ...overrides },
    objective: options.objective ?? 'stepTime',
    top: options.top ?? 10,
  }
}
