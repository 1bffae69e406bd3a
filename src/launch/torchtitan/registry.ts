/**
 * Named configs of torchtitan's main, one per row: the model, and what differs from the defaults of
 * torchtitan/config/configs.py. Source: version.ts, torchtitan/models/{llama3,qwen3,qwen3_5,deepseek_v3,gpt_oss,kimi_k2_7}/config_registry.py.
 */
import { wordsOf } from '../read/left-over.ts'

/** What a config asks of its model (model_registry), for which there are no options. */
export interface ModelSpec {
  /** Matmuls in eight bits, with a scale for each row or for each block of 32. */
  readonly fp8?: 'rowwise' | 'mxfp8'
  /** Kernels that send a token once to each chip. */
  readonly kernels?: 'deepep' | 'hybridep'
  /** Layers that predict further tokens. */
  readonly further?: number
  /** What no plan says of it. */
  readonly uncounted?: string
}

interface More {
  readonly spec?: ModelSpec
  readonly tensor?: number
  readonly expert?: number
  readonly shard?: number
  readonly interleaved?: true
  /** Matrices are DistMuon's, which takes none that tensor parallelism cuts (`_KimiTrainerConfig`). */
  readonly muon?: true
  /** A vision encoder is in front of the model, whose images are among the tokens. */
  readonly vision?: true
  /** Another way to run a flavor, from which no written plan starts. */
  readonly variant?: true
}

export interface Registered extends More {
  readonly module: string
  readonly config: string
  readonly flavor: string
  /** Tokens of a microbatch on one data-parallel rank, and of a sequence. */
  readonly tokens: number
  readonly context: number
  readonly recomputation: 'full' | 'selective'
}

type Row = readonly [
  ...[module: string, config: string, flavor: string, tokens: number, context: number],
  recomputation: Registered['recomputation'],
  more?: More,
]

const [fp8, blocks] = [{ spec: { fp8: 'rowwise' } }, { spec: { fp8: 'mxfp8' } }] as const
const fourBits = {
  spec: { uncounted: 'it multiplies in NVFP4 in the first 85 % of its layers and in bf16 in the others' },
} as const
const variant = { variant: true } as const
const staged = { interleaved: true } as const
const vision = { vision: true } as const
const kimi = { muon: true, expert: 8 } as const

const rows: readonly Row[] = [
  ['llama3', 'llama3_8b', '8B', 8192, 8192, 'selective'],
  [
    'llama3',
    'llama3_8b_first_85_pct_layers_nvfp4',
    '8B',
    8192,
    8192,
    'selective',
    { ...variant, ...fourBits },
  ],
  ['llama3', 'llama3_8b_mxfp8', '8B', 8192, 8192, 'selective', { ...variant, ...blocks }],
  ['llama3', 'llama3_70b', '70B', 65_536, 8192, 'full', { tensor: 8 }],
  ['llama3', 'llama3_405b', '405B', 16_384, 8192, 'full', { tensor: 8, ...fp8 }],
  ['qwen3', 'qwen3_0_6b', '0.6B', 16_384, 4096, 'selective'],
  ['qwen3', 'qwen3_1_7b', '1.7B', 16_384, 4096, 'selective'],
  ['qwen3', 'qwen3_8b_first_85_pct_layers_nvfp4', '8B', 2048, 2048, 'selective', { ...variant, ...fourBits }],
  ['qwen3', 'sft_qwen3_8b_math', '8B', 2048, 2048, 'selective', variant],
  ['qwen3', 'qwen3_14b', '14B', 16_384, 4096, 'full'],
  ['qwen3', 'qwen3_32b', '32B', 8192, 4096, 'full'],
  ['qwen3', 'qwen3_30b_a3b', '30B-A3B', 8192, 4096, 'full'],
  ['qwen3_5', 'qwen35_0_8b', '0.8B', 16_384, 4096, 'selective', vision],
  ['qwen3_5', 'qwen35_2b', '2B', 16_384, 4096, 'selective', vision],
  ['qwen3_5', 'qwen35_4b', '4B', 16_384, 4096, 'full', vision],
  ['qwen3_5', 'qwen35_9b', '9B', 16_384, 4096, 'full', { ...vision, tensor: 2 }],
  ['qwen3_5', 'qwen35_27b', '27B', 16_384, 4096, 'full', { ...vision, tensor: 4 }],
  ['qwen3_5', 'qwen35_35b_a3b', '35B-A3B', 16_384, 4096, 'full', { ...vision, tensor: 2, expert: 8 }],
  ['qwen3_5', 'qwen35_122b_a10b', '122B-A10B', 16_384, 4096, 'full', { ...vision, tensor: 4, expert: 8 }],
  ['qwen3_5', 'qwen35_397b_a17b', '397B-A17B', 16_384, 4096, 'full', { ...vision, tensor: 8, expert: 16 }],
  ['deepseek_v3', 'deepseek_v3_16b', '16B', 16_384, 4096, 'selective', { ...staged, expert: 8 }],
  [
    ...(['deepseek_v3', 'deepseek_v3_16b_hybridep', '16B', 16_384, 4096, 'selective'] as const),
    { ...variant, ...staged, expert: 8, spec: { kernels: 'hybridep' } },
  ],
  [
    ...(['deepseek_v3', 'deepseek_v3_16b_minimal_async_ep', '16B', 16_384, 4096, 'selective'] as const),
    { ...variant, shard: 1 },
  ],
  ['deepseek_v3', 'deepseek_v3_671b', '671B', 16_384, 4096, 'selective', { ...staged, expert: 2 }],
  [
    ...(['deepseek_v3', 'deepseek_v3_671b_float8', '671B', 16_384, 4096, 'selective'] as const),
    { ...variant, ...staged, expert: 2, ...fp8 },
  ],
  ['gpt_oss', 'gpt_oss_20b', '20b', 8192, 8192, 'full'],
  ['gpt_oss', 'gpt_oss_120b', '120b', 8192, 8192, 'full'],
  ['kimi_k2_7', 'moonlight_16b_a3b', 'moonlight-16B-A3B', 16_384, 4096, 'full', kimi],
  ['kimi_k2_7', 'kimi_vl_a3b', 'Kimi-VL-A3B', 4096, 4096, 'full', { ...kimi, ...vision }],
  ['kimi_k2_7', 'kimi_k2_5', 'Kimi-K2.5', 16_384, 4096, 'full', { ...kimi, ...vision, ...staged }],
]

export const registered: readonly Registered[] = rows.map(
  ([module, config, flavor, tokens, context, recomputation, more]) => {
    return { module, config, flavor, tokens, context, recomputation, ...more }
  },
)

/** Configs of models that no catalogue has: those for debugging, and those that make images or mix ways of attention of their own. */
const ofOtherModels: Readonly<Record<string, readonly string[]>> = {
  llama3: wordsOf(
    'llama3_debugmodel llama3_debugmodel_varlen_attn llama3_debugmodel_dist_gemm llama3_debugmodel_float8',
    'llama3_debugmodel_nvfp4 llama3_debugmodel_first_85_pct_layers_nvfp4 llama3_debugmodel_float8_emulate_lora',
    'llama3_debugmodel_ce_loss sft_debugmodel',
  ),
  qwen3: wordsOf(
    'qwen3_debugmodel qwen3_debugmodel_nvfp4 qwen3_debugmodel_first_85_pct_layers_nvfp4',
    'qwen3_debugmodel_moe_param_groups qwen3_debugmodel_flex_flash qwen3_debugmodel_non_fused_qkv',
    'qwen3_moe_debug qwen3_moe_deepep',
  ),
  qwen3_5: wordsOf('qwen35_debugmodel qwen35_debugmodel_varlen_attn qwen35_debugmodel_moe'),
  deepseek_v3: wordsOf(
    'deepseek_v3_debugmodel deepseek_v3_debugmodel_mtp deepseek_v3_debugmodel_mxfp8',
    'deepseek_v3_debugmodel_hybridep deepseek_v3_debugmodel_minimal_async_ep',
  ),
  gpt_oss: wordsOf('gpt_oss_debugmodel gpt_oss_debugmodel_flex'),
  kimi_k2_7: wordsOf('kimi_k2_5_debugmodel'),
  muse_glimmer: wordsOf(
    'muse_glimmer_debugmodel muse_glimmer_debugmodel_mm muse_glimmer_30b muse_glimmer_30b_mm',
  ),
  flux: wordsOf('flux_debugmodel flux_dev flux_schnell flux_schnell_mxfp8 flux_dev_mxfp8'),
}

/** All configs by their module, which a command names by its last word or by its whole path. */
export const configsOf: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(ofOtherModels).map(([module, others]) => [
    module,
    [...registered.filter((row) => row.module === module).map(({ config }) => config), ...others],
  ]),
)

/** The module by the name that its folder has. */
export function moduleNamed(written: string): string {
  return written.replace(/^torchtitan\.models\./, '').replace(/\.config_registry$/, '')
}

/** The config of a flavor, or one of the same family to start from; null if there is no such family. */
export function nearestConfig(module: string, flavor: string): Registered | null {
  const family = registered.filter((row) => row.module === module && !row.variant)
  return family.find((row) => row.flavor === flavor) ?? family[0] ?? null
}
