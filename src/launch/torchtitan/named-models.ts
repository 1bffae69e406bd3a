/**
 * The models of torchtitan's flavors: those of few dimensions are in flavor.ts, others are the catalogue's, or spelled out where the
 * catalogue has none. Embeddings are tied in none of the latter, though in checkpoints of the small Qwen3.5 they are. Source: version.ts,
 * torchtitan/models/{qwen3,qwen3_5,deepseek_v3,gpt_oss,kimi_k2_7}/__init__.py; of the release all but qwen3_5 and kimi_k2_7.
 */
import type { Fields } from '../../fields.ts'
import type { LaunchReading } from '../read/reading.ts'
import { shapeNamed } from './flavor.ts'

const catalogued: readonly (readonly [module: string, flavor: string, name: string])[] = [
  ['qwen3', '30B-A3B', 'qwen3-30b-a3b'],
  ['qwen3', '235B-A22B', 'qwen3-235b-a22b'],
  ['qwen3_5', '27B', 'qwen3.5-27b'],
  ['qwen3_5', '35B-A3B', 'qwen3.5-35b-a3b'],
  ['qwen3_5', '122B-A10B', 'qwen3.5-122b-a10b'],
  ['qwen3_5', '397B-A17B', 'qwen3.5-397b-a17b'],
  ['deepseek_v3', '16B', 'deepseek-v2-lite'],
  ['deepseek_v3', '236B', 'deepseek-v2'],
  ['deepseek_v3', '671B', 'deepseek-v3'],
  ['gpt_oss', '20b', 'gpt-oss-20b'],
  ['gpt_oss', '120b', 'gpt-oss-120b'],
  ['kimi_k2_7', 'Kimi-K2.5', 'kimi-k2.5'],
]

/** The text tower that Moonlight and Kimi-VL have in common. */
const moonlight: Fields = {
  ...{ layers: 27, dModel: 2048, dFf: 11264, heads: 16, vocab: 163_840 },
  ...{ gatedMlp: true, tiedEmbeddings: false },
  moe: { experts: 64, activeExperts: 6, sharedExperts: 2, dFfExpert: 1408, denseLayers: 1 },
  attention: {
    kind: 'mla',
    mla: { queryRank: null, keyValueRank: 512, nopeHeadDim: 128, ropeHeadDim: 64, valueHeadDim: 128 },
  },
}

type Sizes = readonly [
  layers: number,
  dModel: number,
  dFf: number,
  heads: number,
  kvHeads: number,
  valueHeads: number,
]

/** `valueHeads` are those of the recurrence. */
function qwen35([layers, dModel, dFf, heads, kvHeads, valueHeads]: Sizes): Fields {
  return {
    ...{ layers, dModel, dFf, heads, kvHeads, headDim: 256, vocab: 248_320 },
    ...{ gatedMlp: true, tiedEmbeddings: false },
    attention: { outputGate: true },
    recurrence: {
      ...{ mixer: 'gated-delta-net', attentionEvery: 4, convolution: 4 },
      ...{ keyHeads: 16, keyDim: 128, heads: valueHeads, valueDim: 128 },
    },
  }
}

const spelled: readonly (readonly [module: string, flavor: string, model: Fields])[] = [
  ['kimi_k2_7', 'moonlight-16B-A3B', moonlight],
  ['kimi_k2_7', 'Kimi-VL-A3B', moonlight],
  ['qwen3_5', '0.8B', qwen35([24, 1024, 3584, 8, 2, 16])],
  ['qwen3_5', '2B', qwen35([24, 2048, 6144, 8, 2, 16])],
  ['qwen3_5', '4B', qwen35([32, 2560, 9216, 16, 4, 32])],
  ['qwen3_5', '9B', qwen35([32, 4096, 12_288, 16, 4, 32])],
]

type OfFlavor = Pick<LaunchReading, 'model' | 'wholeModel' | 'modelOf'>

/** What a reading says of a flavor's model; nothing of a flavor that is not known. */
export function modelOfFlavor(module: string, flavor: string): OfFlavor {
  const of = <Found>(rows: readonly (readonly [string, string, Found])[]) =>
    rows.find(([own, name]) => own === module && name === flavor)?.[2]
  const name = of(catalogued)
  if (name !== undefined) return { model: null, modelOf: name }
  const whole = of(spelled)
  return whole ? { model: whole, wholeModel: true } : { model: shapeNamed(module, flavor) }
}

/** Whether nothing is known of it but its name. */
export function isUnread({ model, modelOf }: OfFlavor): boolean {
  return model === null && modelOf === undefined
}
