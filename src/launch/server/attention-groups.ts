/**
 * Attention by sequences as servers have it (data-parallel attention): each group of tensor chips has sequences of its
 * own, and all attention weights. A plan's layouts say so (`copied`, `copied-all`), and frameworks differ in what they
 * do with the rest of the model. Sources: vllm-project/vllm, vllm/model_executor/layers/fused_moe/config.py
 * (flatten_tp_across_dp_and_pcp: without expert parallelism experts are sliced over data x tensor; all else is within a
 * data rank); sgl-project/sglang, python/sglang/srt/layers/dp_attention.py and models/deepseek_v2.py (MLP, shared experts
 * and the LM head over all of --tp-size, but for --moe-dense-tp-size 1 and --enable-dp-lm-head); NVIDIA/TensorRT-LLM,
 * tensorrt_llm/_torch/models/modeling_deepseekv3.py ("if using attention DP, the shared experts also use DP instead of
 * TP"), modeling_utils.py (the LM head of attention DP).
 */
import type { Rule } from '../../rules/rule.ts'
import type { ProjectionLayout } from '../../sharding/tables/inference-sharding.ts'
import { plainProjection, projectionUse } from '../../sharding/tables/inference-sharding.ts'
import type { Serving } from './serving.ts'

/** How a component lies beside groups: as attention, over all tensor chips, or whole on each of them. */
export const groupWays = {
  own: (attention: ProjectionLayout) => attention,
  all: (): ProjectionLayout => '1d-sequences',
  each: (): ProjectionLayout => 'copied-all',
} as const

export type GroupWay = keyof typeof groupWays

/** What a framework can do with the components that are not attention. */
export interface BesideGroups {
  readonly mlp: readonly GroupWay[]
  /** Of shared experts; routed ones are over all tensor chips anyway. */
  readonly experts: readonly GroupWay[]
  readonly unembedding: readonly GroupWay[]
}

/** All components alike. */
export function everywhere(way: GroupWay): Readonly<Record<keyof BesideGroups, GroupWay>> {
  return { mlp: way, experts: way, unembedding: way }
}

export function groupRules(framework: string, able: BesideGroups): readonly Rule<Serving>[] {
  return [
    {
      broken: (serving) => serving.sharingGroups > 1 && !projectionUse(attentionOf(serving)).copied,
      says: (serving) =>
        `${framework} has all attention weights on each group of chips that has sequences of its own, as copied and copied-all; the plan shares out those of ${attentionOf(serving)}`,
    },
    {
      broken: (serving) => isMisplaced(serving, able),
      says: (serving) =>
        misplaced(serving, able)
          .map(
            ([component, has, wants]) =>
              `${framework} has ${wants.length > 0 ? `${component} in ${wants.join(' or ')}` : `no ${component}`} beside attention in ${attentionOf(serving)}; the plan in ${has}`,
          )
          .join('; '),
    },
  ]
}

type Misplaced = readonly [component: string, has: ProjectionLayout, wants: readonly ProjectionLayout[]]

function misplaced(serving: Serving, others: BesideGroups): readonly Misplaced[] {
  const attention = attentionOf(serving)
  const { copied } = projectionUse(attention)
  return serving.layouts.flatMap((layout): readonly Misplaced[] => {
    if (!isAstray(serving, others, attention, layout)) return []
    const [component, { projection }] = layout
    const ways = waysOf(serving, others, layout).map((way) => groupWays[way](attention))
    return [[component, projection, copied ? [...new Set(ways)] : [plainProjection]]]
  })
}

/** Whether any component is: a search asks it of every choice of layouts. */
function isMisplaced(serving: Serving, others: BesideGroups): boolean {
  const attention = attentionOf(serving)
  for (const layout of serving.layouts) if (isAstray(serving, others, attention, layout)) return true
  return false
}

type Laid = Serving['layouts'][number]

function isAstray(
  serving: Serving,
  others: BesideGroups,
  attention: ProjectionLayout,
  layout: Laid,
): boolean {
  const [, { projection, cache }] = layout
  // What another rule refuses is not refused twice.
  if (cache !== null || !projectionUse(projection).wholeColumns) return false
  if (!projectionUse(attention).copied) return projection !== plainProjection
  for (const way of waysOf(serving, others, layout)) {
    if (groupWays[way](attention) === projection) return false
  }
  return true
}

const overAll: readonly GroupWay[] = ['all']
const nowhere: readonly GroupWay[] = []

function waysOf(serving: Serving, others: BesideGroups, [component, { places }]: Laid): readonly GroupWay[] {
  if (places !== null && !sharesExperts(serving)) return overAll
  return others[component as keyof BesideGroups] ?? nowhere
}

export function sharesExperts({ model }: Serving): boolean {
  return (model.experts?.sharedExperts ?? 0) > 0
}

function attentionOf({ layouts }: Serving): ProjectionLayout {
  for (const [, { cache, projection }] of layouts) if (cache !== null) return projection
  return plainProjection
}

/** The layout of a component; null if the model has none. */
export function projectionOf({ layouts }: Serving, name: keyof BesideGroups): ProjectionLayout | null {
  return layouts.find(([component]) => component === name)?.[1].projection ?? null
}

/** The framework has groups of sequences only together with experts. */
export function denseGroupsRule(framework: string): Rule<Serving> {
  return {
    broken: ({ attentionGroups, model }) => attentionGroups > 1 && model.experts === null,
    says: `${framework} shares out attention by sequences beside experts alone; of a dense model it would copy the MLP as well`,
  }
}

/** The framework sends tokens to whole experts beside groups of one chip. */
export function sentRanksRule(framework: string): Rule<Serving> {
  return {
    broken: ({ sharingGroups, experts }) =>
      sharingGroups > 1 && experts?.whole === true && experts.sends === false,
    says: ({ tensors }) =>
      `${framework} sends tokens to whole experts beside attention by sequences: that is mesh expert ${tensors} with experts dispatched`,
  }
}
