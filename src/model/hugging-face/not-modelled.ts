/** Kinds of models that the cost model cannot say, by what their model_type or their name has in it, each with the reason. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [
    /qwen3-next|qwen3-[56]|qwen3\.[56]|kimi-(linear|k3)|minimax-(m1|text)|^minimax$|mamba|jamba|zamba|bamba|nemotron-(h\b|nano-(9|12)b|3(\.5)?-(nano|super|ultra|lightning))|mini-flash|falcon-h1|granite-?moe-?hybrid|granite-4\.0-h|lfm2|rwkv|recurrent-?gemma|olmo-?hybrid/,
    'some of its layers have linear attention or a state space in place of keys and values, whose time and memory are not modelled',
  ],
  [
    /deepseek-(v3\.?2|v4)|glm-moe-dsa|glm-5|minimax-m3/,
    'its attention chooses the positions that it looks back on, which is not modelled; with attention over all positions (of a DeepSeek-V3.2, "deepseek-v3") a plan is an upper bound',
  ],
  [
    /nemotron-nas|^deci|nemotron-(super|ultra)|nemotron-51b|openelm/,
    'its blocks are of unlike widths, or lack attention or MLP, and a model here has one kind of block',
  ],
  [
    /gemma-?3n|gemma-?4|mimo-v2/,
    'its layers with windows have heads of other widths or numbers than those without, and a model here has one kind of attention',
  ],
]

/** Why models of this type or name are not known; undefined where nothing is against it. */
export function notModelled(typeOrName: string): string | undefined {
  const written = typeOrName.slice(typeOrName.lastIndexOf('/') + 1, 200)
  const plain = written.toLowerCase().replaceAll('_', '-')
  return kinds.find(([kind]) => kind.test(plain))?.[1]
}
