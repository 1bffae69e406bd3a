/** Made-up answers of inference of the domain's types, for tests of the edge alone. */
import type { EvaluateAnswer } from '../../src/plan/answer.ts'
import type { InferenceAnswer, InferencePlan, PhasePlan, ServeAnswer } from '../../src/plan/inference-plan.ts'
import { sampleAbout, samplePlan, sampleSearch } from './sample-answer.ts'

export const sampleInferencePlan: InferencePlan = {
  ...samplePlan,
  batchSequences: 32,
  tokensPerSecondPerUser: 50,
  floorSeconds: 0.5,
  streaming: { weightsSeconds: 0.4, kvCacheSeconds: 0.1, activationsSeconds: 0.01, arithmeticSeconds: 0.05 },
  reshardingSeconds: 0.01,
  layoutProvenBest: true,
  redundantExperts: 0,
  twoBatchOverlap: false,
  maxBatchSequences: 200,
  criticalBatchTokens: 240,
  speculation: {
    draftTokens: 4,
    draftSeconds: 0.0005,
    expectedTokensPerStep: 3.2,
    stepSeconds: 1.2,
    secondsPerToken: 0.375,
    speedup: 2.67,
  },
}

export const sampleInferenceAnswer: InferenceAnswer = {
  plans: [sampleInferencePlan],
  preferred: null,
  unlaunchable: null,
  pareto: [
    {
      id: sampleInferencePlan.id,
      summary: sampleInferencePlan.summary,
      batchSequences: 32,
      stepTimeSeconds: 1,
      tokensPerSecondPerUser: 1,
      tokensPerSecondPerChip: 4,
      chipSecondsPerToken: 0.25,
      costPerMillionTokensUsd: null,
      costedTokens: 'generated',
      chips: 8,
      plan: {
        mesh: sampleInferencePlan.mesh,
        placement: sampleInferencePlan.placement,
        layout: { attention: '1d/heads', mlp: '1d', unembedding: '1d' },
        batchSequences: 32,
        microbatches: 1,
      },
    },
  ],
  search: sampleSearch,
  sensitivity: {
    flops: 0,
    hbmBandwidth: -0.9,
    hostBandwidth: 0,
    iciBandwidth: -0.1,
    dcnBandwidth: 0,
    networks: { ici: -0.1 },
    memory: 0,
    memoryStep: null,
  },
  infeasible: null,
  ...sampleAbout,
}

export const sampleEvaluation: EvaluateAnswer<InferencePlan> = { plan: sampleInferencePlan, ...sampleAbout }

const phase: PhasePlan = {
  ...sampleInferencePlan,
  chips: 16,
  chipsPerInstance: 8,
  topology: [2, 4],
  slices: 1,
  instances: 2,
  utilization: 0.7,
}

export const sampleServeAnswer: ServeAnswer = {
  plans: [
    {
      rank: 1,
      feasible: true,
      id: 'def',
      summary: '2 prefill and 2 generate instances',
      disaggregated: true,
      chips: 32,
      idleChips: 0,
      maxSequences: 64,
      roomSequences: 64,
      longestPositions: 4096,
      stepTokens: null,
      contextLength: 2304,
      prefill: phase,
      generate: phase,
      ratio: 1,
      requestsPerSecond: 12,
      uncertainty: null,
      againstFirst: null,
      timeToFirstTokenSeconds: 0.4,
      timePerOutputTokenSeconds: 0.03,
      longestTokenSeconds: null,
      requestSeconds: 8,
      costPerMillionTokensUsd: 0.7,
      costedTokens: 'output',
      tokensPerSecondPerChip: 100,
      queueing: { model: 'M/D/c', arrivalsPerSecond: 10, waitSeconds: 0.1 },
      kvTransfer: { bytesPerRequest: 1e8, seconds: 0.01, streamedPerLayer: true },
      secondLayout: null,
      explanation: ['Generation takes most of it.'],
      launch: {},
    },
  ],
  preferred: null,
  alternative: null,
  unlaunchable: null,
  search: sampleSearch,
  infeasible: null,
  ...sampleAbout,
}
