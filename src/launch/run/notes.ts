import type { Run } from './run.ts'

/** Where a release has no option for a loss in pieces: a kernel that is put in its place, such as Liger's, does it. */
export function wholeLossNotes({ problem }: Run, framework: string): readonly string[] {
  const { lossChunks } = problem.assumptions
  if (lossChunks === 1) return []
  return [
    `${framework}: this release computes logits whole, and the plan counts them in ${lossChunks} pieces.`,
  ]
}
