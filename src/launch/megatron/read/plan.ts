/** The plan that Megatron-LM's options describe for a number of GPUs: mesh, ZeRO stage, microbatches, schedule, stages, recomputation and overlap. */

import { compact } from '../../../compact.ts'
import { type Fields, ownValue, present } from '../../../fields.ts'
import { inverse } from '../../read/inverse.ts'
import type { LaunchReading } from '../../read/reading.ts'
import { replicaAxes } from '../../read/replicas.ts'
import { readExpertRanks } from '../../run/experts.ts'
import { contextExchanges, type MegatronSaid } from '../settings.ts'
import { shardingStrategies } from '../states.ts'
import { readOverlap } from './overlap.ts'
import { readMegatronStages } from './pipeline.ts'
import { rematerializationOf } from './recomputation.ts'

interface LaidOut {
  readonly plan: Fields
  readonly costed: NonNullable<LaunchReading['costed']>
  readonly lacking: NonNullable<LaunchReading['lacking']>
  readonly notes: readonly string[]
  readonly faults: readonly string[]
  /** Why a plan that Megatron-LM starts cannot be costed. */
  readonly uncounted?: readonly string[]
}

/** `whole` says whether the options are all that Megatron-LM gets: no script or recipe adds to them; `cut` whether they say how layers are cut into stages. */
export function planOf(
  said: MegatronSaid,
  chips: number,
  layers: number | null,
  {
    userBuffers,
    whole,
    cut: isCut,
    hasExperts,
  }: {
    readonly userBuffers: boolean
    readonly whole: boolean
    readonly cut: boolean
    readonly hasExperts?: boolean | undefined
  },
): LaidOut {
  const { tensor, pipeline, context, microbatch, globalBatch: batch, sequenceLength: length } = said
  const { expertRanks: ranks } = said.dispatch
  const cut = said.dispatch.expertTensor ?? tensor
  const experts = said.experts.count
  const { expert, expertTensor, countable } = readExpertRanks({ ranks, cut, tensor }, experts)
  const stages = readMegatronStages(said, layers, isCut)
  const exchange = said.exchange ?? 'p2p'
  const contextLayout = ownValue(contextLayouts, exchange)
  const sequenceParallel = said.inSequence || tensor === 1
  const notes = compact(
    !whole &&
      !sequenceParallel &&
      'counted as with --sequence-parallel, which what it goes to may add; assumptions.residual "whole" counts without',
    context > 1 &&
      contextLayout === undefined &&
      `--cp-comm-type ${exchange} is not counted: another exchange is chosen`,
  )
  const replicas = chips / (tensor * pipeline * context)
  const { zeroStage, instances } = shardingOf(said)
  const rematerialization = rematerializationOf(
    said,
    stages.virtualStages,
    stages.stageLayers ?? (layers === null ? null : [layers]),
    hasExperts,
  )
  const laid = { tensor, pipeline, context, replicas, zeroStage }
  const overlap = readOverlap(said, { ...laid, sequenceParallel: sequenceParallel || !whole }, userBuffers)
  if (!Number.isInteger(replicas)) {
    return {
      plan: { mesh: { tensor, pipeline, context } },
      costed: {},
      lacking: {},
      notes,
      faults: [
        ...stages.faults,
        `tensor ${tensor} x pipeline ${pipeline} x context ${context} do not divide the ${chips} GPUs`,
      ],
    }
  }
  const copies = zeroStage === 3 ? instances : 1
  const shards = replicas / expert / copies
  const engine = said.engineStage
  // Experts are folded over all ranks of a stage (parallel_state.py, expert_tensor_model_pipeline_parallel_size).
  const folds = Number.isInteger(chips / (pipeline * ranks * cut))
  const { instances: asked } = said.whole
  const faults = compact(
    stages.faults,
    // Source: parallel_state.py, initialize_model_parallel.
    !Number.isInteger((replicas * context) / asked) &&
      `--num-distributed-optimizer-instances ${asked} does not divide the ${replicas * context} ranks that reduce gradients together`,
    engine > 1 &&
      `--zero-stage ${engine} of Megatron-DeepSpeed is not counted: Megatron-LM shares out optimizer states alone`,
    !folds &&
      (!countable || !Number.isInteger(shards)) &&
      `pipeline ${pipeline} x --expert-model-parallel-size ${ranks} x ${cut} ranks that cut an expert do not divide the ${chips} GPUs`,
  )
  const uncounted = compact(
    asked > 1 &&
      (zeroStage === 1 || zeroStage === 2) &&
      `--num-distributed-optimizer-instances ${asked} shares out optimizer states among 1 in ${asked} of the ranks alone, which has a plan only under Megatron-FSDP's optim_grads_params`,
    folds &&
      !countable &&
      `--expert-tensor-parallel-size ${cut} beside --tensor-model-parallel-size ${tensor} and --expert-model-parallel-size ${ranks} is valid in Megatron-LM, and cannot be costed here`,
    folds &&
      countable &&
      !Number.isInteger(shards) &&
      `the ${replicas} data-parallel ranks do not hold ${expert} ranks of experts: ranks that span context or tensor are valid in Megatron-LM, and cannot be costed here`,
  )
  const microbatches = batch !== null && microbatch !== null ? batch / (microbatch * replicas) : null
  const uneven = microbatches !== null && !Number.isInteger(microbatches)
  // Whoever leaves the batch to the request still says how large its parts are.
  const microbatchTokens =
    batch === null && microbatch !== null && length !== null ? microbatch * length : undefined
  const plan = {
    mesh: {
      tensor,
      pipeline,
      context,
      expert,
      ...replicaAxes(zeroStage, shards, copies),
    },
    zeroStage,
    ...(context > 1 && contextLayout !== undefined ? { contextLayout } : {}),
    ...(microbatches === null || uneven ? {} : { microbatches }),
    ...present({ microbatchTokens }),
    ...(pipeline > 1
      ? {
          pipelineSchedule: stages.virtualStages > 1 ? 'interleaved-1f1b' : '1f1b',
          virtualStages: stages.virtualStages,
        }
      : {}),
    ...(stages.stageLayers ? { stageLayers: stages.stageLayers } : {}),
    ...rematerialization.field,
  }
  return {
    plan,
    costed: { ...overlap.costed, ...(experts !== null && expertTensor ? { expertTensor } : {}) },
    lacking: overlap.lacking,
    notes: [...notes, ...stages.notes, ...overlap.notes, ...rematerialization.notes],
    uncounted,
    faults: compact(
      faults,
      uneven &&
        `--global-batch-size ${batch} is not divided by --micro-batch-size ${microbatch} times the ${replicas} data-parallel ranks`,
    ),
  }
}

const contextLayouts: Readonly<Record<string, string | undefined>> = {
  ...inverse(contextExchanges),
  allgather: 'gather',
}

/** Megatron-DeepSpeed's stages are those of DeepSpeed's engine; its first is what the distributed optimizer does. */
function shardingOf({ optimizer, distributed, engineStage, fsdp, whole: { instances } }: MegatronSaid): {
  readonly zeroStage: number
  readonly instances: number
} {
  const shares = distributed || optimizer.name?.startsWith('dist_') || engineStage > 0
  if (!fsdp.isFsdp) return { zeroStage: shares ? 1 : 0, instances: 1 }
  const zeroStage = shardingStrategies.indexOf(fsdp.sharding ?? '')
  return zeroStage < 0 ? { zeroStage: 3, instances } : { zeroStage, instances }
}
