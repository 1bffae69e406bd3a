/** Kinds of models that the cost model cannot say, by what their model_type or their name has in it, each with the reason. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [
    /kimi-k3|minimax-(m1|text)|^minimax$|mamba|jamba|zamba|bamba|mini-flash|falcon-h1|granite-?moe-?hybrid|granite-4\.0-h|lfm2|rwkv|recurrent-?gemma|olmo-?hybrid/,
    'some of its layers have linear attention or a state space in place of keys and values, whose time and memory are not modelled',
  ],
  [
    /deepseek-?v?4[.-]?1(?!\d)|minimax-m3/,
    'its attention chooses among blocks, or layers share what they pool, which is not modelled; an index of single positions, as in DeepSeek-V3.2 and GLM-5, and pooled positions of each layer, as in DeepSeek-V4, are',
  ],
  [
    /nemotron-nas|^deci|nemotron-(super|ultra)|nemotron-51b|openelm/,
    'its blocks are of unlike widths, or lack attention or MLP, and a model here has one kind of block',
  ],
  [
    /gemma-?3n|gemma-?4|mimo-v2|step-?3(p|\.)[57]/,
    'its layers with windows have heads of other widths or numbers than those without, and a model here has one kind of attention',
  ],
]

/** Why models of this type or name are not known; undefined where nothing is against it. */
export function notModelled(typeOrName: string): string | undefined {
  const written = typeOrName.slice(typeOrName.lastIndexOf('/') + 1, 200)
  const plain = written.toLowerCase().replaceAll('_', '-')
  return kinds.find(([kind]) => kind.test(plain))?.[1]
}
