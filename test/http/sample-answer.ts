/** A made-up answer of the domain's type, for tests of the edge alone. */
import { calibrated } from '../../src/assumptions/calibrated.ts'
import type { Chip } from '../../src/hardware/chip.ts'
import type { Cluster } from '../../src/hardware/cluster/cluster.ts'
import type { EvaluateAnswer, OptimizeAnswer, SearchAccount } from '../../src/plan/answer.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { unitMesh } from '../../src/sharding/axis.ts'
import type { Validation } from '../../src/validate.ts'

const efficiency = {
  matmul: 0.7,
  matmulHalfFlops: 1e9,
  attention: 0.5,
  hbm: 0.8,
  scaleUp: 0.7,
  scaleOut: 0.8,
}

const tiers = [
  {
    name: 'nvlink',
    size: 8,
    bytesPerSecondPerChip: 4e11,
    latencySeconds: 1e-6,
    inNetworkReduction: false,
  },
]

const chip: Chip = {
  name: 'sample',
  kind: 'gpu',
  peakFlopsPerSecond: { bf16: 1e15 },
  hbmBytes: 8e10,
  hbmBytesPerSecond: 3e12,
  hostBytesPerSecond: 3e10,
  efficiency,
  system: { kind: 'switched', tiers },
}

const cluster: Cluster = {
  chip,
  chips: 8,
  network: {
    kind: 'switched',
    tiers,
  },
}

export const samplePlan: Plan = {
  rank: 1,
  feasible: true,
  id: 'abc',
  summary: 'fsdp 8',
  chips: 8,
  idleChips: 0,
  mesh: { ...unitMesh, fsdp: 8 },
  placement: [{ axis: 'fsdp', on: 'nvlink', physical: [0], wraps: true }],
  layout: { components: { mlp: 'fsdp' }, shardings: { W_in: '[D_X, F]' }, algorithm: ['In = …'] },
  zeroStage: 3,
  contextLayout: null,
  microbatches: 1,
  microbatchTokens: 1024,
  pipelineSchedule: 'none',
  virtualStages: 1,
  stageLayers: [32],
  stagePartition: null,
  memoryPolicy: null,
  rematerialization: [{ policy: 'none', layers: 32 }],
  stepTimeSeconds: 1,
  lowerBoundSeconds: 0.9,
  uncertainty: null,
  againstFirst: null,
  choice: null,
  upperBoundSeconds: 1.5,
  overlapSeconds: [1, 1.5],
  mfu: 0.4,
  hfu: 0.4,
  mfuPeak: { type: 'bf16', flopsPerSecondPerChip: 9.89e14 },
  mfuOfBf16Peak: 0.4,
  tokensPerSecond: 1e6,
  tokensPerSecondPerChip: 1.25e5,
  costPerMillionTokensUsd: null,
  costedTokens: 'trained',
  globalBatchSequences: 4,
  paddingFraction: 0,
  timeSeconds: {
    compute: 0.9,
    hbm: 0.1,
    communication: { ...unitMesh, data: 0, fsdp: 0.2 },
    hostTransfer: 0,
    pipelineBubble: 0,
    rematerialization: 0,
    optimizer: 0.01,
    overhead: 0.01,
    exposedCommunication: 0.02,
  },
  memoryBytes: {
    budget: 7.2e10,
    total: 6e10,
    parameters: 1e10,
    gradients: 1e10,
    optimizer: 2e10,
    activations: 1e10,
    kvCache: 0,
    workspace: 5e9,
    reserve: 5e9,
    host: 0,
    stage: 0,
  },
  bottleneck: 'compute',
  bottleneckDetail: null,
  headroom: {
    communication: 1.7,
    memory: 1.2,
    atHalfBandwidth: { network: 'nvlink', stepTimeSeconds: 1.1 },
    robustness: { networks: 0.8, stepTimeSeconds: 1.05, memory: 1.1, fits: true },
  },
  collectives: [
    {
      op: 'AllGather',
      over: 'fsdp',
      array: 'W_in[D_X, F]',
      bytes: 1e8,
      count: 64,
      seconds: 0.1,
      exposed: false,
      pass: 'forward',
    },
  ],
  explanation: ['Bound by compute.'],
  launch: { maxtext: {} },
}

export const sampleAbout = {
  model: {
    name: 'sample',
    parameters: 8e9,
    activeParameters: 8e9,
    trainFlopsPerToken: 4.8e10,
    kvCacheBytesPerToken: 131072,
  },
  hardware: cluster,
  precision: {
    weights: 'bf16',
    compute: 'bf16',
    kvCache: 'bf16',
    gradients: 'fp32',
    optimizer: 'fp32',
  } as const,
  assumptions: calibrated('gpu', efficiency),
  warnings: ['From the search.'],
}

export const sampleSearch: SearchAccount = {
  enumerated: 10,
  pruned: 4,
  evaluated: 5,
  infeasible: { memory: 1, divisibility: 0, topology: 0, constraint: 0 },
  lowerBoundSeconds: 0.9,
  gap: 0.1,
  exact: true,
  unexamined: 0,
  unbegun: 0,
}

export const sampleOptimizeAnswer: OptimizeAnswer = {
  plans: [samplePlan],
  preferred: null,
  recipes: [],
  unlaunchable: {
    plan: { ...samplePlan, rank: 0, stepTimeSeconds: samplePlan.stepTimeSeconds / 2 },
    advantage: 2,
    reasons: { megatron: ['Megatron-LM runs 1F1B, not GPipe'] },
  },
  search: sampleSearch,
  sensitivity: {
    flops: -0.6,
    hbmBandwidth: 0,
    hostBandwidth: 0,
    iciBandwidth: -0.2,
    dcnBandwidth: 0,
    networks: { ici: -0.2 },
    memory: 0,
    memoryStep: null,
  },
  infeasible: null,
  ...sampleAbout,
}

export const sampleEvaluateAnswer: EvaluateAnswer = { plan: samplePlan, ...sampleAbout }

export const sampleValidation: Validation = {
  ok: true,
  checks: [
    {
      name: 'legal',
      ok: true,
      pointer: '/plan',
      expected: 'legal',
      actual: 'legal',
      message: 'No rule is broken.',
    },
  ],
  plan: samplePlan,
  best: samplePlan,
  preferred: null,
  search: sampleSearch,
  ...sampleAbout,
}
