/**
 * What the frameworks have in common about experts. All of them distribute experts over ranks that are replicas for the
 * rest of the model, as a plan's expert axis does. Source: as flags.ts, maxtext/config.ts and torchtitan/config.ts.
 */
import { type ExpertTensor, heldAs } from '../../cost/communication/expert-tensor.ts'
import { innermostUnit, unitsSpanned } from '../../hardware/network/innermost-unit.ts'
import { hasExperts } from '../../model/expert-layers.ts'
import type { Problem } from '../../problem.ts'
import { isNarrow } from '../../recipe/element-type.ts'
import type { MeshRun, Run } from './run.ts'

/** For each layer in order, 1 if it has experts, otherwise 0. */
export function expertPattern({ model }: Run): readonly (0 | 1)[] {
  return Array.from({ length: model.layers }, (_, layer) => (hasExperts(model, layer) ? 1 : 0))
}

/** Over how many ranks experts are spread, and over how many each is cut: a plan's expert axis, and its tensor axis where ranks of that hold whole experts. */
export function expertRanks({ mesh, model, problem }: MeshRun): {
  readonly ranks: number
  readonly tensor: number
} {
  const held = heldAs(mesh, model.experts?.experts ?? 1, problem.assumptions.expertTensor)
  return held === 'whole'
    ? { ranks: mesh.expert * mesh.tensor, tensor: 1 }
    : { ranks: mesh.expert, tensor: mesh.tensor }
}

/** What a launch file says of its experts, as a plan has it; `faults` where no plan does. */
export function readExpertRanks(
  { ranks, cut, tensor }: { readonly ranks: number; readonly cut: number; readonly tensor: number },
  experts: number | null,
): { readonly expert: number; readonly expertTensor: ExpertTensor | null; readonly countable: boolean } {
  const expert = (ranks * cut) / tensor
  const countable = (cut === tensor || cut === 1) && Number.isInteger(expert)
  if (!countable) return { expert: ranks, expertTensor: null, countable: cut === tensor || ranks === 1 }
  const said = cut === tensor ? 'sliced' : 'whole'
  const mesh = { expert, tensor, tensor2: 1 }
  const usual = heldAs(mesh, experts ?? 1, 'whole')
  return { expert, expertTensor: said === usual ? null : said, countable: true }
}

/** Groups of experts, one for each node, of which a token may visit `limit`; null if the router's limit does not bind. */
export interface RoutingGroups {
  readonly groups: number
  readonly limit: number
}

export function routingGroups({ model, placement, problem }: Run): RoutingGroups | null {
  const limit = model.experts?.nodeLimit
  if (limit === undefined) return null
  const groups = unitsSpanned(placement.groups.expert, innermostUnit(problem.cluster))
  return groups > limit ? { groups, limit } : null
}

/**
 * Megatron-LM and torchtitan order the ranks as tensor, then experts (which include context); a plan has context before
 * experts. The groups are equally large and hold the same, and use the same links if they lie inside one unit.
 */
export function foldingNote(
  { mesh: { tensor, context, expert }, problem }: Run,
  framework: string,
): string | null {
  const block = tensor * context * expert
  if (context === 1 || expert === 1 || innermostUnit(problem.cluster) % block === 0) return null
  return `${framework} spreads experts over the ranks of context first: its groups of experts lie closer together than the plan costs them, and those that reduce experts' gradients further apart.`
}

/** Notes that frameworks cast rows of experts where they arrive, if the plan counts them as cast before they are sent. */
export function narrowDispatchNote(run: Run): string | null {
  const { compute } = run.problem.precision
  const narrow = run.problem.assumptions.narrowDispatch && isNarrow(compute)
  if (!narrow || !run.model.experts || expertRanks(run).ranks === 1) return null
  return `Tokens are counted as sent to their experts in ${compute}, where frameworks send bf16: assumptions.narrowDispatch false counts that (Megatron-LM after core_v0.19.0 can send mxfp8, with NCCL EP and --moe-dispatch-fwd-dtype).`
}

/** How a framework sends tokens to their experts. */
export interface TokenDispatch {
  /** Whether it has kernels for this that send a token once to each chip (DeepEP, HybridEP), on some layout; else it sends one copy to each expert. */
  readonly hasKernels: (question: Pick<Problem, 'model' | 'precision' | 'cluster'>) => boolean
  /** Whether the command of a run uses them. */
  readonly usesKernels: (run: Run) => boolean
  /** How tensor ranks hold experts, where it has one way alone. */
  readonly holds?: ExpertTensor
}

/** Notes that the framework's AllToAll sends a token once for each expert, where a plan counts once for each chip. */
export function copiesNote(run: Run, framework: string): string | null {
  const { model, problem } = run
  if (expertRanks(run).ranks === 1 || !model.experts || model.experts.activeExperts === 1) return null
  if (!problem.assumptions.hierarchicalDispatch) return null
  return `${framework}: a token is sent once for each of its ${model.experts.activeExperts} experts; the plan counts once for each chip that has some, launch.stepTimeSeconds as it is sent.`
}
