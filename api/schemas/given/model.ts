/** The model of a request (a name, dimensions or a config), and its summary in an answer. */
import { z } from 'zod'
import { limits } from '../../../src/model/limits.ts'
import { recurrentMixers } from '../../../src/model/recurrent-mixers.ts'
import { count, countOrNone, label } from '../bound.ts'
import { number, optional, orNull, text } from '../field.ts'
import { attentionKind, elementType } from '../names.ts'

const moe = z
  .strictObject({
    experts: count(limits.experts).describe('Routed experts per layer.'),
    activeExperts: count(limits.experts).describe('Routed experts that a token visits.'),
    sharedExperts: optional(
      'Shared experts, which every token visits; 0 by default.',
      countOrNone(limits.experts),
    ),
    dFfExpert: count(limits.mlpWidth).describe('Width of one expert.'),
    latentWidth: optional(
      'Width of what routed experts take in and give out, where tokens are projected down to it and their sums back (LatentMoE); dModel by default.',
      count(limits.width),
    ),
    denseLayers: optional(
      'Number of first layers that have a dense MLP of width dFf; 0 by default.',
      countOrNone(limits.layers),
    ),
    every: optional(
      'After the dense layers, one layer in this many has experts; 1 by default.',
      count(limits.layers),
    ),
    nodeLimit: optional(
      'Most nodes that the experts of one token may be on (node-limited routing); no limit by default.',
      count(limits.experts),
    ),
  })
  .describe('A mixture of experts in place of the MLP.')

const mla = z
  .strictObject({
    queryRank: orNull(
      'Rank of the latent queries; null where queries are projected directly.',
      count(limits.width),
    ),
    keyValueRank: count(limits.width).describe('Rank of the latent vector of keys and values.'),
    nopeHeadDim: count(limits.headDim).describe('Width of the part of a key without positions.'),
    ropeHeadDim: count(limits.headDim).describe(
      'Width of the part of a key with rotary positions, which all heads share.',
    ),
    valueHeadDim: count(limits.headDim).describe('Width of a value head.'),
  })
  .describe('Multi-head latent attention: keys and values of all heads are projected from one cached vector.')

const index = z
  .strictObject({
    positions: count(limits.positions).describe('Most positions that a query meets.'),
    heads: count(limits.heads).describe('Heads that score positions.'),
    headDim: count(limits.headDim).describe('Width of their queries, and of the one key that they share.'),
    firstLayers: optional(
      'Number of first layers that each have an index of their own; 0 by default.',
      countOrNone(limits.layers),
    ),
    every: optional(
      'Of the layers after those, the last of this many has an index, and the others meet what it last chose; 1 by default.',
      count(limits.layers),
    ),
  })
  .describe(
    'With mla or compressed: a small attention scores all positions, and queries meet the best of them alone (DeepSeek Sparse Attention).',
  )

const pool = (of: string) =>
  z
    .strictObject({
      positions: count(limits.positions).describe('Positions that are pooled to one vector.'),
      layers: countOrNone(limits.layers).describe('Number of layers that do.'),
    })
    .describe(of)

const compressed = z
  .strictObject({
    ropeHeadDim: optional(
      'Elements of the head that rotate, which a cache of fewer than 16 bits keeps in 16; none by default.',
      countOrNone(limits.headDim),
    ),
    cacheType: z.exactOptional(
      elementType.describe(
        'Type that servers keep the cache in where the request does not say; bf16 by default.',
      ),
    ),
    queryRank: count(limits.width).describe('Rank of the latent queries.'),
    outputGroups: count(limits.heads).describe('Groups of heads whose results have a low rank each.'),
    outputRank: count(limits.width).describe('That rank.'),
    window: count(limits.positions).describe('Last positions that all layers meet as they are.'),
    sparse: pool('Layers that meet the best of the pooled positions, which the index chooses (CSA).'),
    heavy: pool('Layers that meet all pooled positions (HCA); the others meet the window alone.'),
  })
  .describe(
    'With one key/value head, headDim and index: queries meet the last positions, and vectors that many positions each are pooled to (DeepSeek-V4).',
  )

const attention = z.strictObject({
  kind: z.exactOptional(attentionKind),
  window: optional(
    'Positions that layers with local (sliding-window) attention look back on; by default no layer is local.',
    count(limits.positions),
  ),
  globalEvery: optional(
    'With a window, one layer in this many attends to all positions; 0, the default, if none does.',
    countOrNone(limits.layers),
  ),
  kvShareGroup: optional('Neighbouring layers that share one KV cache; 1 by default.', count(limits.layers)),
  mla: z.exactOptional(mla),
  index: z.exactOptional(index),
  compressed: z.exactOptional(compressed),
  outputGate: optional(
    'Whether the result of each head is weighed by a gate before the output projection (Qwen3-Next); false by default.',
    z.boolean(),
  ),
})

const recurrence = z
  .strictObject({
    mixer: z.enum(recurrentMixers).describe('The kind of recurrence.'),
    attentionEvery: optional(
      'One layer in this many attends, the last of them; the others have the recurrence. Required, unless layerPattern says which layers attend.',
      count(limits.layers).min(2),
    ),
    lastAttends: optional('Whether the very last layer attends as well; false by default.', z.boolean()),
    keyHeads: count(limits.heads).describe('Heads of queries and keys.'),
    keyDim: count(limits.headDim).describe('Width of a head of keys.'),
    heads: count(limits.heads).describe('Heads of values, a multiple of those of keys.'),
    valueDim: count(limits.headDim).describe('Width of a head of values.'),
    convolution: count(limits.positions).describe('Positions that the short convolution meets.'),
  })
  .describe(
    'Layers that carry a state of fixed size through a sequence in place of attention (linear attention, state spaces).',
  )

export const architecture = z
  .strictObject({
    name: z.exactOptional(label()),
    layers: count(limits.layers),
    dModel: count(limits.width),
    dFf: count(limits.mlpWidth).describe('Width of the MLP of layers without experts.'),
    heads: count(limits.heads),
    kvHeads: z.exactOptional(count(limits.heads).describe('Key/value heads; as many as `heads` by default.')),
    headDim: z.exactOptional(count(limits.headDim).describe('dModel / heads by default.')),
    vocab: count(limits.vocab),
    gatedMlp: z
      .boolean()
      .default(true)
      .describe('Whether the MLP is gated (SwiGLU): three matrices instead of two.'),
    tiedEmbeddings: z
      .boolean()
      .default(false)
      .describe('Whether embedding and unembedding share one matrix.'),
    learnedPositions: countOrNone(limits.positions)
      .default(0)
      .describe('Rows of learned position embeddings; 0 for rotary.'),
    biases: optional(
      'Whether linear layers have biases; they are not costed, but appear in launch flags.',
      z.boolean(),
    ),
    parallelBlocks: z
      .boolean()
      .default(false)
      .describe('Whether attention and MLP read the same input (parallel blocks).'),
    residualStreams: optional(
      'Residual streams of width dModel beside each other (hyper-connections); 1 by default.',
      count(limits.heads),
    ),
    layerPattern: optional(
      'A letter for each layer, where each has a mixer alone or an MLP alone (Nemotron-H): M a recurrence, * attention, - a dense MLP, E experts. By default all layers have both.',
      z.string().max(limits.layers),
    ),
    moe: z.exactOptional(moe),
    attention: z.exactOptional(attention),
    recurrence: z.exactOptional(recurrence),
    multiTokenLayers: optional(
      'Multi-token prediction: further layers in training that predict later tokens.',
      countOrNone(limits.layers),
    ),
    maxSequenceLength: z.exactOptional(count(limits.positions)),
  })
  .describe('The dimensions of a Transformer.')

export type Architecture = z.output<typeof architecture>

const huggingFace = z
  .strictObject({
    huggingFace: z
      .record(z.string().max(200), z.unknown())
      .describe('The content of the config.json beside the weights on Hugging Face, unchanged.'),
  })
  .describe('A model by its Hugging Face config.')

export const modelRequest = z
  .union([label(), architecture, huggingFace])
  .describe(
    'A name from /models, the Hugging Face name of a release of one of these, the dimensions of a Transformer, or a Hugging Face config.',
  )

export type HuggingFaceConfig = z.output<typeof huggingFace>['huggingFace']

export type ModelRequest = z.output<typeof modelRequest>

export const activeConvention =
  'Parameters that one token uses: all but the routed experts that it does not visit, embedding and unembedding included. ' +
  'Authors who leave out the embedding, as it is only looked up, publish less: for gpt-oss-120b 5.13e9, here 5.71e9.'

export const modelSummary = z.object({
  name: text('Its name in the catalogue, or as the request has it.'),
  parameters: number('Number of parameters, counted from the architecture.'),
  activeParameters: number(activeConvention),
  trainFlopsPerToken: number('FLOPs of a token in training: forward and backward.'),
  kvCacheBytesPerToken: number(
    "Cache bytes of a sequence of the workload's length, divided by its tokens. Layers with a window keep no more than the window, so this falls as sequences grow.",
  ),
})
