import { ownValue } from '../../fields.ts'

/** Models for which Megatron Bridge has a pretraining recipe, by the stem of the recipe's name. Source: version.ts, src/megatron/bridge/recipes. */
const stems = [
  ...['deepseek_v2', 'deepseek_v2_lite', 'deepseek_v3', 'gemma2_2b', 'gemma2_9b', 'gemma2_27b', 'gemma3_1b'],
  ...['gpt3_175b', 'gpt_oss_20b', 'gpt_oss_120b', 'kimi_k2', 'llama2_7b', 'llama3_8b', 'llama3_70b'],
  ...['llama31_8b', 'llama31_70b', 'llama31_405b', 'llama32_1b', 'llama32_3b', 'moonlight_16b', 'olmoe_7b'],
  ...['qwen2_7b', 'qwen2_72b', 'qwen25_7b', 'qwen25_14b', 'qwen25_32b', 'qwen25_72b', 'qwen3_4b', 'qwen3_8b'],
  ...['qwen3_14b', 'qwen3_32b', 'qwen3_30b_a3b', 'qwen3_235b_a22b', 'qwen3_next_80b_a3b'],
] as const

/** The recipe stem for a catalogue name; null if there is none. */
export function stemOf(name: string): string | null {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  return stems.find((stem) => plain(stem) === plain(name)) ?? null
}

export function hasRecipe(stem: string): boolean {
  return stems.some((one) => one === stem)
}

/** Catalogue names of models whose recipes leave out their sizes. */
const named: Readonly<Record<string, string>> = {
  nemotron_3_nano: 'nemotron-3-nano-30b-a3b',
  nemotron_3_super: 'nemotron-3-super-120b-a12b',
  nemotron_3_ultra: 'nemotron-3-ultra-550b-a55b',
}

/** The likely catalogue name for a stem: llama31_405b is llama-3.1-405b. */
export function nameOf(stem: string): string {
  const own = ownValue(named, stem)
  if (own !== undefined) return own
  return stem
    .replace(/^llama(\d)(\d)_/, 'llama-$1.$2-')
    .replace(/^qwen(\d)(\d)_/, 'qwen$1.$2-')
    .replaceAll('_', '-')
}
