/** Other names for axes, and for the other keys of plans and constraints. */
import type { OtherNames } from '../name.ts'

export const planKeys: OtherNames = {
  data: `
    dp ddp dataParallel dataParallelism dataParallelSize dpSize replicas replica
    dataParallelReplicateDegree dpReplicate iciDataParallelism hsdpReplicas
  `,
  fsdp: `
    dpShard dataParallelShardDegree iciFsdpParallelism fullyShardedDataParallel shard zero3 fsdpSize
    fsdpParallel shardingDegree
  `,
  tensor: `
    tp tpSize tensorParallel tensorParallelism tensorParallelSize tensorParallelDegree
    tensorModelParallelSize iciTensorParallelism modelParallel modelParallelism mp megatron
  `,
  tensor2: 'tp2 tensorTranspose iciTensorTransposeParallelism tensor2d',
  context: `
    cp cpSize contextParallel contextParallelism contextParallelSize contextParallelDegree
    iciContextParallelism sp seq sequence sequenceParallelSize ulysses ring decodeContextParallelSize dcp
  `,
  expert: `
    ep epSize experts expertParallel expertParallelism expertParallelSize expertParallelDegree
    expertModelParallelSize iciExpertParallelism moeExpertParallelSize
  `,
  pipeline: `
    pp ppSize pipelineParallel pipelineParallelism pipelineParallelSize stages pipelineParallelDegree
    pipelineModelParallelSize iciPipelineParallelism pipelineStages
  `,
  zeroStage: 'zero zeroLevel zeroOptimization zeroOptimizationStage stage',
  microbatches: `
    numMicrobatches microBatchCount gradientAccumulationSteps gradAccum gas accumulation
    gradientAccumulation gradAccumSteps
  `,
  virtualStages: `
    vpp virtualPipeline virtualPipelineModelParallelSize virtualPipelineParallelSize chunks
    numVirtualStages modelChunks interleave
  `,
  pipelineSchedule: 'schedule pipelineParallelSchedule ppSchedule',
  schedule: 'schedules pipelineSchedule pipelineSchedules pipelineParallelSchedule ppSchedule',
  rematerialization: `
    remat rematPolicy recompute recomputation recomputeGranularity checkpointing activationCheckpointing
    activationCheckpoint gradientCheckpointing activationRecomputation
  `,
  contextLayout: 'contextParallelMethod cpCommType contextParallelRotateMethod attentionLayout',
  mesh: 'axes parallelism parallel degrees shape',
  plan: 'strategy config parallelism',
  constraints: 'constraint mesh parallelism parallel fixed pinned axes strategy restrict',
}
