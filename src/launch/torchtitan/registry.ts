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

const full = 'full' as const
const selective = 'selective' as const

export const registered: readonly Registered[] = [
  {
    module: 'llama3',
    config: 'llama3_8b',
    flavor: '8B',
    tokens: 8192,
    context: 8192,
    recomputation: selective,
  },
  {
    ...{ module: 'llama3', config: 'llama3_70b', flavor: '70B', tokens: 65_536, context: 8192, tensor: 8 },
    recomputation: full,
  },
  {
    ...{ module: 'llama3', config: 'llama3_405b', flavor: '405B', tokens: 16_384, context: 8192, tensor: 8 },
    ...{ recomputation: full, fp8: true },
  },
  ...(
    [
      ['qwen3_0_6b', '0.6B', 16_384, selective],
      ['qwen3_1_7b', '1.7B', 16_384, selective],
      ['qwen3_14b', '14B', 16_384, full],
      ['qwen3_32b', '32B', 8192, full],
      ['qwen3_30b_a3b', '30B-A3B', 8192, full],
    ] as const
  ).map(([config, flavor, tokens, recomputation]) => {
    return { module: 'qwen3', config, flavor, tokens, context: 4096, recomputation }
  }),
  {
    ...{ module: 'deepseek_v3', config: 'deepseek_v3_16b', flavor: '16B', tokens: 16_384, context: 4096 },
    ...{ expert: 8, recomputation: selective, interleaved: true },
  },
  {
    ...{ module: 'deepseek_v3', config: 'deepseek_v3_671b', flavor: '671B', tokens: 16_384, context: 4096 },
    ...{ expert: 2, recomputation: selective, interleaved: true },
  },
]

/** The config of a flavor, or one of the same family to start from; null if there is no such family. */
export function nearestConfig(module: string, flavor: string): Registered | null {
  const family = registered.filter((row) => row.module === module)
  return family.find((row) => row.flavor === flavor) ?? family[0] ?? null
}
