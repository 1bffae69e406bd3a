/**
 * Models that MaxText has under src/maxtext/configs/models, by the catalogue's names: a config there says positions, norms and biases
 * beside dimensions, and `model_name` takes it. Each with its layers and its D, as somebody may give a catalogue's name to a model of
 * their own. Dimensions were compared at AI-Hypercomputer/maxtext e591f30; mixtral-8x22b and gpt3-175b are left out, whose
 * vocabularies are others than the catalogue's.
 */
import type { Transformer } from '../../model/transformer.ts'

const words = `
deepseek-v2-lite=deepseek2-16b:27x2048 deepseek-v2=deepseek2-236b:60x5120
deepseek-v3=deepseek3-671b:61x7168 deepseek-v3.2=deepseek3.2-671b:61x7168 deepseek-r1=deepseek3-671b:61x7168 gemma-2b:18x2048 gemma-7b:28x3072
gemma-2-2b=gemma2-2b:26x2304 gemma-2-9b=gemma2-9b:42x3584 gemma-2-27b=gemma2-27b:46x4608
gemma-3-4b=gemma3-4b:34x2560 gemma-3-12b=gemma3-12b:48x3840 gemma-3-27b=gemma3-27b:62x5376
gpt-oss-20b:24x2880 gpt-oss-120b:36x2880 kimi-k2=kimi-k2-1t:61x7168 kimi-k2-thinking=kimi-k2-1t:61x7168 kimi-k2.5=kimi-k2-1t:61x7168 kimi-k2.6=kimi-k2-1t:61x7168 kimi-k2.7-code=kimi-k2-1t:61x7168
llama-2-7b=llama2-7b:32x4096 llama-2-13b=llama2-13b:40x5120 llama-2-70b=llama2-70b:80x8192
llama-3-8b=llama3-8b:32x4096 llama-3-70b=llama3-70b:80x8192 llama-3.1-8b=llama3.1-8b:32x4096
llama-3.1-70b=llama3.1-70b:80x8192 llama-3.1-405b=llama3.1-405b:126x16384
llama-3.3-70b=llama3.3-70b:80x8192 llama-4-maverick=llama4-17b-128e:48x5120
llama-4-scout=llama4-17b-16e:48x5120 mistral-7b:32x4096 mixtral-8x7b:32x4096 olmo-3-32b=olmo3-32b:64x5120
olmo-3-7b=olmo3-7b:32x4096 qwen2.5-1.5b:28x1536 qwen2.5-7b:28x3584 qwen2.5-14b:48x5120 qwen3-0.6b:28x1024
qwen3-1.7b:28x2048 qwen3-4b:36x2560 qwen3-8b:36x4096 qwen3-14b:40x5120 qwen3-32b:64x5120
qwen3-30b-a3b:48x2048 qwen3-235b-a22b:94x4096 qwen3-4b-2507=qwen3-4b-thinking-2507:36x2560
qwen3-coder-480b-a35b=qwen3-480b-a35b:62x6144
`

interface Named {
  readonly name: string
  readonly size: string
}

const names: ReadonlyMap<string, Named> = new Map(
  words
    .trim()
    .split(/\s+/)
    .map((word): readonly [string, Named] => {
      const [both = '', size = ''] = word.split(':')
      const [own = '', name = own] = both.split('=')
      return [own, { name, size }]
    }),
)

/** MaxText's name for a model; null if it has none. */
export function maxtextName({
  name,
  layers,
  dModel,
}: Pick<Transformer, 'name' | 'layers' | 'dModel'>): string | null {
  const found = names.get(name)
  return found?.size === `${layers}x${dModel}` ? found.name : null
}
