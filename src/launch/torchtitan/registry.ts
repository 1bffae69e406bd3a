/**
 * Named configs of torchtitan's main, one per row: the model, and what differs from the defaults of
 * torchtitan/config/configs.py. Source: version.ts, torchtitan/models/{llama3,qwen3,deepseek_v3}/config_registry.py.
 */

export interface Registered {
  readonly module: string
  readonly config: string
  readonly flavor: string
  /** Tokens of a microbatch on one data-parallel rank, and of a sequence. */
  readonly tokens: number
  readonly context: number
  readonly recomputation: 'full' | 'selective'
  readonly fp8?: true
  readonly tensor?: number
  readonly expert?: number
  readonly interleaved?: true
}

type Row = readonly [
  ...[module: string, config: string, flavor: string, tokens: number, context: number],
  recomputation: Registered['recomputation'],
  more?: Pick<Registered, 'fp8' | 'tensor' | 'expert' | 'interleaved'>,
]

const rows: readonly Row[] = [
  ['llama3', 'llama3_8b', '8B', 8192, 8192, 'selective'],
  ['llama3', 'llama3_70b', '70B', 65_536, 8192, 'full', { tensor: 8 }],
  ['llama3', 'llama3_405b', '405B', 16_384, 8192, 'full', { tensor: 8, fp8: true }],
  ['qwen3', 'qwen3_0_6b', '0.6B', 16_384, 4096, 'selective'],
  ['qwen3', 'qwen3_1_7b', '1.7B', 16_384, 4096, 'selective'],
  ['qwen3', 'qwen3_14b', '14B', 16_384, 4096, 'full'],
  ['qwen3', 'qwen3_32b', '32B', 8192, 4096, 'full'],
  ['qwen3', 'qwen3_30b_a3b', '30B-A3B', 8192, 4096, 'full'],
  ['deepseek_v3', 'deepseek_v3_16b', '16B', 16_384, 4096, 'selective', { expert: 8, interleaved: true }],
  ['deepseek_v3', 'deepseek_v3_671b', '671B', 16_384, 4096, 'selective', { expert: 2, interleaved: true }],
]

export const registered: readonly Registered[] = rows.map(
  ([module, config, flavor, tokens, context, recomputation, more]) => {
    return { module, config, flavor, tokens, context, recomputation, ...more }
  },
)

/** The config of a flavor, or one of the same family to start from; null if there is no such family. */
export function nearestConfig(module: string, flavor: string): Registered | null {
  const family = registered.filter((row) => row.module === module)
  return family.find((row) => row.flavor === flavor) ?? family[0] ?? null
}
