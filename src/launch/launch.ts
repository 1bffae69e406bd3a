/** Why a framework cannot run a plan: said in place of flags that would run another. */
import type { MeshRun, Run } from './run/run.ts'

export interface Unsupported {
  readonly unsupported: readonly string[]
}

export interface Launchable<Flags> {
  readonly flags: Flags
  /** What the flags do not say and a user has to know. */
  readonly notes: readonly string[]
}

export type Launch<Flags> = Launchable<Flags> | Unsupported

/** A fault and what to say of it, where it is one. */
export type Check = readonly [fault: boolean, reason: string]

export function faults(checks: readonly Check[]): readonly string[] {
  return checks.filter(([fault]) => fault).map(([, reason]) => reason)
}

/** Faults of any framework: what the book takes for real numbers has to be whole. */
export function commonChecks({ microbatch, stageLayers, recomputation }: Run): readonly Check[] {
  return [
    [
      !Number.isInteger(microbatch),
      `a microbatch of ${printed(microbatch)} sequences per replica is not whole`,
    ],
    [
      !stageLayers.every(Number.isInteger),
      `stages of ${printed(Math.max(...stageLayers))} layers are not whole`,
    ],
    [
      !Number.isInteger(recomputation.count),
      `${recomputation.other} on ${printed(recomputation.count)} layers of a stage is not whole`,
    ],
  ]
}

export function commonModelChecks({ model }: MeshRun): readonly Check[] {
  return [[model.attention.kvShareGroup > 1, 'keys and values that layers share are not mapped to flags']]
}

/** Where a release has no option for a loss in pieces: a kernel that is put in its place, such as Liger's, does it. */
export function wholeLossNotes({ problem }: Run, framework: string): readonly string[] {
  const { lossChunks } = problem.assumptions
  if (lossChunks === 1) return []
  return [
    `${framework}: this release computes logits whole, and the plan counts them in ${lossChunks} pieces.`,
  ]
}

function printed(value: number): string {
  return `${Number(value.toPrecision(4))}`
}
