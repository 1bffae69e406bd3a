/**
 * Two halves of a batch that take turns (dual batch overlap): while the tokens of one are on their way to experts or back,
 * the other computes. Per layer with experts and per half, with C the products of attention and experts, R dispatch and
 * combine, and σ the share of compute units that these take while they run,
 *
 *   layer = max(C + σ·R, R) + all other collectives       so that max(σ·R, R - C) stands beside what computes
 *
 * Each half reads all the weights that it visits, and is launched by itself. The turns are taken to be of one length,
 * which they are not: attention and experts differ, and the waiting that follows is not counted. Workspace is that of both halves.
 * Kernels that send straight from chip to chip have σ = 0 (inference/phase-assumptions.ts). Sources: DeepSeek-V3 (arXiv 2412.19437),
 * section 3.4; vLLM, docs/design/dbo.md; SGLang's "Deploying DeepSeek on 96 H100 GPUs" (2025), "Two-batch Overlap".
 */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { halvedPass, type Pass } from '../pass/pass.ts'

/** The pass as it is and, where there is something to hide, also in halves. */
export function waysOf(
  { twoBatchOverlap }: Assumptions,
  mesh: Mesh,
  pass: Pass,
): readonly [whole: Pass, ...Pass[]] {
  const hides = twoBatchOverlap && mesh.expert > 1 && mesh.pipeline === 1
  return hides ? [pass, halvedPass(pass)] : [pass]
}

/** What one layer with experts takes beside computing, per half; `compute` is that of its attention and experts. */
export function besideSeconds(routed: Seconds, compute: Seconds, takenShare: number): Seconds {
  return Math.max(takenShare * routed, routed - compute, 0)
}
