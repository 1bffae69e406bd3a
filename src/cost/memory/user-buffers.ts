/**
 * User buffers of Transformer Engine, through which Megatron's linear layers send what tensor parallelism sends
 * (--tp-comm-overlap): each matmul that has one gets its own when the process starts, of the shape that a microbatch has
 * between layers, whole over tensor, and keeps it. By default there are twelve. The eight of gathers are of a byte an
 * element where matmuls run in fp8; the others, and the four of scattered sums, are in bf16. What is gathered lies in
 * them.
 *
 * Source: NVIDIA/Megatron-LM @d98e8a64dd, megatron/training/initialize.py (_initialize_tp_communicators: seq_length x
 * micro_batch_size / context_parallel_size by hidden_size); NVIDIA/TransformerEngine @d0067d0da6,
 * transformer_engine/pytorch/module/base.py (initialize_ub: `methods`, of which `external` has two since 2.7),
 * transformer_engine/common/comm_gemm_overlap/comm_gemm_overlap.cpp (CommOverlapBase::initialize and
 * CommOverlapP2PBase::initialize allocate for each name; none is shared).
 */
import { innermostUnit } from '../../hardware/network/innermost-unit.ts'
import { hasUserBuffers } from '../../hardware/vendor.ts'
import type { Problem } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import { expertRecipeRow } from '../../recipe/expert-recipes.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { Extents } from '../../sharding/monomial.ts'
import { stateShardings, type ZeroStage } from '../../sharding/states.ts'
import { dividesPositions } from '../../sharding/tables/training-layout.ts'
import type { Term } from '../compile/term.ts'
import { wholeStreamTerm } from './memory.ts'

const buffers = { gathers: 8, sums: 4 } as const

export function userBufferTerm(extents: Extents, { compute }: Problem['precision']): Term {
  return wholeStreamTerm(extents, buffers.gathers * (elementBytes[compute] === 1 ? 1 : 2) + buffers.sums * 2)
}

/** Nothing that is compiled depends on the network (posed.ts). */
type Compiled = Pick<Problem, 'precision' | 'assumptions' | 'model'>

interface Obstacle {
  readonly there: (problem: Compiled, zeroStage: ZeroStage) => boolean
  readonly says: string
}

/** Why ranks have none although they are assumed to. Source: src/launch/megatron/tensor-overlap.ts. */
const obstacles: readonly Obstacle[] = [
  { there: ({ precision }) => elementBytes[precision.weights] > 2, says: 'in fp32' },
  {
    there: ({ assumptions: { residual } }) => !dividesPositions(residual),
    says: 'without sequence parallelism',
  },
  {
    there: (_, zeroStage) => stateShardings[zeroStage].gradients.length > 0,
    says: 'beside Megatron-FSDP',
  },
  { there: ({ model }) => model.attention.latent !== null, says: 'with latent attention' },
  {
    there: ({ model, assumptions: { expertRecipe, overlapDispatch } }) => {
      const { graphs, overlaps } = expertRecipeRow(expertRecipe)
      return model.experts !== null && (graphs !== 'none' || overlaps || overlapDispatch > 0)
    },
    says: 'beside CUDA graphs or gradients of weights that are delayed',
  },
  { there: ({ assumptions }) => !assumptions.userBuffers, says: 'as assumptions.userBuffers is false' },
]

/** What of a stage speaks against user buffers, in words; null where nothing does. */
export function stageAgainstBuffers(problem: Compiled, zeroStage: ZeroStage): string | null {
  return obstacles.find(({ there }) => there(problem, zeroStage))?.says ?? null
}

export function againstUserBuffers(problem: Problem, zeroStage: ZeroStage): string | null {
  if (!hasUserBuffers(problem.cluster)) return 'on GPUs other than Hopper and later, joined by NVLink'
  return stageAgainstBuffers(problem, zeroStage)
}

/** Whether ranks that share tensor parallelism lie in one unit of the innermost tier. */
export function joinsTensor(
  { cluster }: Pick<Problem, 'cluster'>,
  { tensor }: Pick<Mesh, 'tensor'>,
): boolean {
  return tensor > 1 && innermostUnit(cluster) % tensor === 0
}

/** Whether ranks of a mesh hold them, under the ZeRO stages that go with them. */
export function mayHoldBuffers(
  { cluster, assumptions }: Pick<Problem, 'cluster' | 'assumptions'>,
  mesh: Pick<Mesh, 'tensor'>,
): boolean {
  return assumptions.userBuffers && joinsTensor({ cluster }, mesh) && hasUserBuffers(cluster)
}
