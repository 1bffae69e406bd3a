/** Fields of a plan as answered that /evaluate takes back without reading them: they follow from those that it reads. */
import { z } from 'zod'
import type { PhasePlan } from '../../src/plan/inference-plan.ts'
import type { Sketched } from './sketch.ts'

const unread = z.exactOptional(z.unknown().describe('As in an answer; not read.'))

export const answeredFields = {
  rank: unread,
  feasible: unread,
  infeasible: unread,
  id: unread,
  summary: unread,
  stagePartition: unread,
  memoryPolicy: unread,
  stepTimeSeconds: unread,
  lowerBoundSeconds: unread,
  upperBoundSeconds: unread,
  mfu: unread,
  hfu: unread,
  tokensPerSecond: unread,
  tokensPerSecondPerChip: unread,
  tokensPerSecondPerUser: unread,
  costPerMillionTokensUsd: unread,
  costedTokens: unread,
  paddingFraction: unread,
  timeSeconds: unread,
  memoryBytes: unread,
  bottleneck: unread,
  bottleneckDetail: unread,
  headroom: unread,
  collectives: unread,
  explanation: unread,
  launch: unread,
  floorSeconds: unread,
  streaming: unread,
  reshardingSeconds: unread,
  layoutProvenBest: unread,
  twoBatchOverlap: unread,
  redundantExperts: unread,
  maxBatchSequences: unread,
  criticalBatchTokens: unread,
  timeToFirstTokenSeconds: unread,
  speculation: unread,
  chips: unread,
  chipsPerInstance: unread,
  instances: unread,
  utilization: unread,
} satisfies Record<Exclude<keyof PhasePlan, Sketched>, typeof unread>
