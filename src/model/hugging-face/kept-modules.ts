/**
 * The modules that a quantiser leaves as they are, by the names that a config lists: `model.layers.*.self_attn`,
 * `model.layers.0.mlp`, `re:.*shared_experts.*`, `lm_head`. A name means a part of the model, in one layer or in all; of
 * a list by layer, the share of layers counts. A layer in which one matrix of a part is named counts as kept whole. Patterns
 * are never run, only looked at for the words in them. Routers, norms, indices of positions, convolutions and decays of a recurrence, and
 * encoders of images or sound are no part of the model.
 */
import { hasExperts } from '../expert-layers.ts'
import { type Block, layerHas } from '../layer-pattern.ts'
import type { Transformer } from '../transformer.ts'
import type { WeightPart } from '../weight-parts.ts'
import type { Fields } from './fields.ts'

export interface KeptModule {
  /** `feedForward` is whatever the layer has there, a dense MLP or all experts; `layer` is the whole layer. */
  readonly part: WeightPart | 'feedForward' | 'layer'
  /** Null for every layer. */
  readonly layer: number | null
}

const lists = [
  'modules_to_not_convert',
  'ignore',
  'ignored_layers',
  'exclude_modules',
  'exclude',
  'llm_int8_skip_modules',
] as const

/** The first pattern that a name matches says which part it is; null for what has no part in the model. */
const words: readonly (readonly [RegExp, KeptModule['part'] | null])[] = [
  [/vision|visual|image|audio|mm_projector|multi_modal|indexer/, null],
  [/norm|router|(^|\.)gate\*?$|expert_gate|gate\.weight|e_score_correction/, null],
  [/A_log|dt_bias|conv1d|in_proj_(ba|[ab])\*?$|^mtp\b/, null],
  [/lm_head|embed_out|output_layer/, 'unembedding'],
  [/embed|wte/, 'embedding'],
  [/shared_expert/, 'sharedExperts'],
  [/expert/, 'experts'],
  [/attn|attention|[qkvo]_proj|[qk]v?_[ab]_proj|mixer\.(in|out)_proj/, 'attention'],
  [/(mlp|feed_forward|ffn|moe)[.*]*$/, 'feedForward'],
  [/mlp|feed_forward|ffn|(gate|up|down)_proj/, 'mlp'],
  [/layers\.\d+[.*]*$/, 'layer'],
]

export function keptModules(quantization: Fields): readonly KeptModule[] {
  const names = lists.flatMap((list) => quantization.list(list) ?? [])
  const found: KeptModule[] = []
  for (const name of names) {
    if (typeof name !== 'string') continue
    const said = words.find(([word]) => word.test(name))
    if (!said) {
      quantization.note(`quantization: what ${name.slice(0, 60)} is that it leaves alone is not known`)
    } else if (said[1] !== null) {
      const layer = /layers\.(\d+)/.exec(name)
      found.push({ part: said[1], layer: layer ? Number(layer[1]) : null })
    }
  }
  return found
}

/** Where a layer has one block alone, those with this part. */
const blocksOf: Readonly<Record<Exclude<WeightPart, 'embedding' | 'unembedding'>, readonly Block[]>> = {
  attention: ['attending', 'recurrent'],
  mlp: ['dense'],
  experts: ['sparse'],
  sharedExperts: ['sparse'],
}

/** The share of the layers that have the part; 1 or 0 for a part that a model has once. */
export function keptShare(part: WeightPart, modules: readonly KeptModule[], model: Transformer): number {
  if (part === 'embedding' || part === 'unembedding') {
    return modules.some((module) => module.part === part) ? 1 : 0
  }
  const layers = Array.from({ length: model.layers }, (_, layer) => layer).filter(
    (layer) =>
      layerHas(model, layer, ...blocksOf[part]) ??
      (part === 'attention' || hasExperts(model, layer) === (part !== 'mlp')),
  )
  const meant: readonly KeptModule['part'][] =
    part === 'attention' ? [part, 'layer'] : [part, 'feedForward', 'layer']
  const own = modules.filter((module) => meant.includes(module.part))
  if (layers.length === 0 || own.length === 0) return 0
  if (own.some(({ layer }) => layer === null)) return 1
  const named = new Set(own.map(({ layer }) => layer))
  return layers.filter((layer) => named.has(layer)).length / layers.length
}
