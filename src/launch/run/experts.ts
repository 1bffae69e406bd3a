/**
 * What the frameworks have in common about experts. All of them spread experts over ranks that are replicas to the rest
 * of the model, as the plan's expert axis does. Source: as flags.ts, maxtext/config.ts and torchtitan/config.ts.
 */
import type { Run } from './run.ts'
import { innermostUnit, unitsSpanned } from './units.ts'

/** Layers of each kind, in their order: 1 has experts. */
export function expertPattern({ model }: Run): readonly (0 | 1)[] {
  const { layers, experts } = model
  return Array.from({ length: layers }, (_, layer) => {
    const at = experts ? layer - experts.denseLayers : -1
    return experts && at >= 0 && (at + 1) % experts.every === 0 ? 1 : 0
  })
}

/** Where the router's limit to nodes binds: the nodes that the experts lie on, each with a group of them. */
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
 * Megatron-LM and torchtitan count the ranks of experts through tensor and then at once through the experts, context
 * among them; the plan counts through context first. Groups are as large and hold as much; the same links serve both where
 * all of it is inside one unit.
 */
export function foldingNotes(
  { mesh: { tensor, context, expert }, problem }: Run,
  framework: string,
): readonly string[] {
  const block = tensor * context * expert
  if (context === 1 || expert === 1 || innermostUnit(problem.cluster) % block === 0) return []
  return [
    `${framework} spreads experts over the ranks of context first: its groups of experts lie closer together than the plan costs them, and those that reduce experts' gradients further apart.`,
  ]
}

/** Of an AllToAll that knows experts, not chips. */
export function copiesNotes({ model, mesh }: Run, framework: string): readonly string[] {
  if (mesh.expert === 1 || !model.experts || model.experts.activeExperts === 1) return []
  return [
    `${framework}: a token is sent once for each of its ${model.experts.activeExperts} experts; the plan counts once for each chip that has some.`,
  ]
}
