/**
 * torchtitan's models with experts: DeepSeek-V3's kind (latent attention, dense layers first, shared experts) and Qwen
 * 3's (heads with keys of their own, normed or not, experts in every layer, none shared). A shape that is among its
 * flavors is named; other shapes of the kind have to be registered. Its own DeepSeek flavors use FlexAttention, which
 * does not work with context. Two models are not mapped: Llama 4, whose expert width is computed from factors, and
 * gpt-oss, which has windows. Source: pytorch/torchtitan v0.2.2,
 * torchtitan/models/{deepseek_v3,qwen3}/{__init__.py,model/args.py,infra/parallelize.py}.
 */
import { expertLayers } from '../../model/expert-layers.ts'
import type { LatentAttention, MixtureOfExperts } from '../../model/transformer.ts'
import type { MeshRun } from '../run/run.ts'
import type { Flavor } from './named-flavor.ts'

type ModelRun = Pick<MeshRun, 'model' | 'mesh'>

type Sizes = readonly (readonly [name: string, size: number])[]

const known: readonly (readonly [name: string, flavor: string, sizes: readonly number[]])[] = [
  ['qwen3', '30B-A3B', [48, 2048, 151936, 32, 128, 8, 768, 4, 128]],
  ['qwen3', '235B-A22B', [94, 4096, 151936, 64, 128, 8, 1536, 4, 128]],
  ['deepseek_v3', '16B', [27, 2048, 102400, 16, 64, 6, 1408, 10944, 1, 2, 0, 512, 128, 64, 128]],
  ['deepseek_v3', '236B', [60, 5120, 102400, 128, 160, 6, 1536, 12288, 1, 2, 1536, 512, 128, 64, 128]],
  ['deepseek_v3', '671B', [61, 7168, 129280, 128, 256, 8, 2048, 18432, 3, 1, 1536, 512, 128, 64, 128]],
]

/** Where the sizes of latent attention have the low rank of queries. */
const queryRankAt = 10

/** What a new flavor needs beside its sizes: plans know neither norms nor routers. */
const ownWays = {
  qwen3:
    'moe_enabled=True, num_shared_experts=0, score_func="softmax", route_norm=True, score_before_experts=False, and qk_norm=False unless the model norms queries and keys (Qwen 3 does, Mixtral does not)',
  deepseek_v3: 'attn_type="sdpa", and score_func and route_norm as the model routes',
} as const

/** Null if the model is of neither kind. */
export function expertFlavor(run: ModelRun, experts: MixtureOfExperts): Flavor | null {
  const { model, mesh } = run
  const { latent } = model.attention
  if (!isKind(run, experts)) return null
  const kind = latent ? 'deepseek_v3' : 'qwen3'
  const own = latent ? latentSizes(model.dFf, experts, latent) : headSizes(run)
  const sizes: Sizes = [...commonSizes(run, experts), ...own]
  const same = known.find(
    ([name, , other]) => name === kind && other.every((size, index) => size === sizes[index]?.[1]),
  )
  const pipelines = latent !== null
  if (same && !(latent && mesh.context > 1)) {
    return { model: { name: kind, flavor: same[1] }, known: true, pipelines, notes: [] }
  }
  const flavor = `shardplan-${model.name}`
  const written = sizes.map(([name, size]) => `${name}=${size}`).join(', ')
  const note = `torchtitan: register the flavor ${flavor} in torchtitan/models/${kind} first: ${written}, ${ownWays[kind]}.`
  return { model: { name: kind, flavor }, known: false, pipelines, notes: [note] }
}

/** Whether queries of one of torchtitan's flavors come through a low rank. */
export function hasLowRank(name: string, flavor: string): boolean {
  const [, , sizes = []] = known.find(([own, other]) => own === name && other === flavor) ?? []
  return (sizes[queryRankAt] ?? 0) > 0
}

function isKind({ model }: ModelRun, { every, sharedExperts }: MixtureOfExperts): boolean {
  const plain = model.gatedMlp && !model.parallelBlocks && model.learnedPositions === 0
  if (!plain || model.tiedEmbeddings || every > 1 || model.attention.index) return false
  return model.attention.latent !== null || (expertLayers(model) === model.layers && sharedExperts === 0)
}

function commonSizes({ model }: ModelRun, { experts, activeExperts, dFfExpert }: MixtureOfExperts): Sizes {
  return [
    ['n_layers', model.layers],
    ['dim', model.dModel],
    ['vocab_size', model.vocab],
    ['n_heads', model.heads],
    ['num_experts', experts],
    ['top_k', activeExperts],
    ['moe_inter_dim', dFfExpert],
  ]
}

function headSizes({ model: { kvHeads, headDim } }: ModelRun): Sizes {
  return [
    ['n_kv_heads', kvHeads],
    ['head_dim', headDim],
  ]
}

function latentSizes(
  dFf: number,
  { denseLayers, sharedExperts }: MixtureOfExperts,
  { queryRank, keyValueRank, nopeHeadDim, ropeHeadDim, valueHeadDim }: LatentAttention,
): Sizes {
  return [
    ['inter_dim', dFf],
    ['n_dense_layers', denseLayers],
    ['num_shared_experts', sharedExperts],
    ['q_lora_rank', queryRank ?? 0],
    ['kv_lora_rank', keyValueRank],
    ['qk_nope_head_dim', nopeHeadDim],
    ['qk_rope_head_dim', ropeHeadDim],
    ['v_head_dim', valueHeadDim],
  ]
}
