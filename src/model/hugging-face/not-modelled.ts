/** Kinds of models that the cost model cannot say, by what their model_type or their name has in it, each with the reason. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/falcon-h1/, 'its layers run attention and Mamba-2 beside each other, and a layer here has one mixer'],
  [/^mamba-?2/, 'it has no layer that attends, and a model here has keys and values'],
  [
    /kimi-k3|minimax-(m1|text)|^minimax$|mamba|jamba|zamba|mini-flash|lfm2|rwkv|recurrent-?gemma|olmo-?hybrid/,
    'some of its layers have a kind of linear attention or state space whose time and memory are not modelled; Mamba-2, the gated delta net and KDA are, spelled out as recurrence and layerPattern',
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
    /gemma-?3n/,
    'it has embeddings in each layer, several streams (AltUp) and low-rank paths beside them (LAuReL), which are not modelled',
  ],
  [
    /gemma-?4|mimo-v2|step-?3(p|\.)[57]/,
    'its layers with windows have heads of other widths or numbers than those without, and a model here has one kind of attention',
  ],
]

/** Why models of this type or name are not known; undefined where nothing is against it. */
export function notModelled(typeOrName: string): string | undefined {
  const written = typeOrName.slice(typeOrName.lastIndexOf('/') + 1, 200)
  const plain = written.toLowerCase().replaceAll('_', '-')
  return kinds.find(([kind]) => kind.test(plain))?.[1]
}
