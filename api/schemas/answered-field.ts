/** Fields of an answered plan that /evaluate accepts but does not read, because they follow from those that it reads. */
import { z } from 'zod'
import type { PhasePlan } from '../../src/plan/inference-plan.ts'

const unread = z.exactOptional(z.unknown().describe('As in an answer; accepted, but not read.'))

export function unreadFields<Name extends string>(names: readonly Name[]): Record<Name, typeof unread> {
  return Object.fromEntries(names.map((name) => [name, unread])) as Record<Name, typeof unread>
}

export const answeredFields = unreadFields([
  ...(['rank', 'feasible', 'infeasible', 'id', 'summary', 'stagePartition'] as const),
  ...(['memoryPolicy', 'stepTimeSeconds', 'lowerBoundSeconds', 'upperBoundSeconds'] as const),
  ...(['overlapSeconds', 'uncertainty', 'againstFirst', 'choice', 'mfu', 'hfu', 'mfuPeak'] as const),
  ...(['mfuOfBf16Peak', 'tokensPerSecond', 'tokensPerSecondPerChip'] as const),
  ...(['tokensPerSecondPerUser', 'costPerMillionTokensUsd', 'costedTokens'] as const),
  ...(['globalBatchSequences', 'paddingFraction', 'timeSeconds', 'memoryBytes'] as const),
  ...(['bottleneck', 'bottleneckDetail', 'headroom', 'collectives', 'explanation'] as const),
  ...(['launch', 'floorSeconds', 'streaming', 'reshardingSeconds', 'layoutProvenBest'] as const),
  ...(['twoBatchOverlap', 'redundantExperts', 'maxBatchSequences', 'criticalBatchTokens'] as const),
  ...(['timeToFirstTokenSeconds', 'speculation', 'chips', 'idleChips', 'chipsPerInstance'] as const),
  ...(['instances', 'topology', 'slices', 'utilization'] as const),
] satisfies readonly (keyof PhasePlan)[])
