/** The model of a request (a name, dimensions or a config), and its summary in an answer. */

import { z } from 'zod'
import { limits } from '../../../src/model/limits.ts'
import { count, countOrNone, label } from '../bound.ts'
import { attentionKind } from '../names.ts'

const moe = z
  .strictObject({
    experts: count(limits.experts).describe('Routed experts of a layer.'),
    activeExperts: count(limits.experts).describe('Routed experts that a token visits.'),
    sharedExperts: z.exactOptional(
      countOrNone(limits.experts).describe('That every token visits; 0 by default.'),
    ),
    dFfExpert: count(limits.mlpWidth).describe('Width of one expert.'),
    denseLayers: z.exactOptional(
      countOrNone(limits.layers).describe('First layers with a dense MLP of width dFf; 0 by default.'),
    ),
    every: z.exactOptional(
      count(limits.layers).describe('Of the layers after those one in so many has experts; 1 by default.'),
    ),
    nodeLimit: z.exactOptional(
      count(limits.experts).describe(
        'The router keeps the experts of a token on so many nodes; no limit by default.',
      ),
    ),
  })
  .describe('A mixture of experts in place of the MLP.')

const mla = z
  .strictObject({
    queryRank: count(limits.width).nullable().describe('null where queries are projected at once.'),
    keyValueRank: count(limits.width),
    nopeHeadDim: count(limits.headDim).describe('Part of a key without positions.'),
    ropeHeadDim: count(limits.headDim).describe('Part of a key with rotary positions, shared by the heads.'),
    valueHeadDim: count(limits.headDim),
  })
  .describe('Latent attention: keys and values of all heads come of one cached vector.')

const attention = z.strictObject({
  kind: z.exactOptional(attentionKind),
  window: z.exactOptional(
    count(limits.positions).describe('Positions that local layers look back on; none are local by default.'),
  ),
  globalEvery: z.exactOptional(
    countOrNone(limits.layers).describe(
      'One layer in so many attends to all positions; 0, the default, for none.',
    ),
  ),
  kvShareGroup: z.exactOptional(
    count(limits.layers).describe('Neighbouring layers that share one KV cache; 1 by default.'),
  ),
  mla: z.exactOptional(mla),
})

export const architecture = z
  .strictObject({
    name: z.exactOptional(label()),
    layers: count(limits.layers),
    dModel: count(limits.width),
    dFf: count(limits.mlpWidth).describe('Width of the MLP of layers without experts.'),
    heads: count(limits.heads),
    kvHeads: z.exactOptional(
      count(limits.heads).describe('Of keys and values; as many as heads by default.'),
    ),
    headDim: z.exactOptional(count(limits.headDim).describe('dModel / heads by default.')),
    vocab: count(limits.vocab),
    gatedMlp: z.boolean().default(true).describe('Three MLP matrices instead of two.'),
    tiedEmbeddings: z.boolean().default(false),
    learnedPositions: countOrNone(limits.positions)
      .default(0)
      .describe('Rows of learned position embeddings; 0 for rotary.'),
    biases: z.exactOptional(
      z.boolean().describe('Linear layers have biases: not costed, but in launch flags.'),
    ),
    parallelBlocks: z.boolean().default(false).describe('Attention and MLP side by side.'),
    moe: z.exactOptional(moe),
    attention: z.exactOptional(attention),
    multiTokenLayers: z.exactOptional(
      countOrNone(limits.layers).describe('Further layers that predict tokens after the next, in training.'),
    ),
    maxSequenceLength: z.exactOptional(count(limits.positions)),
  })
  .describe('The dimensions of a Transformer.')

export type Architecture = z.output<typeof architecture>

export const huggingFace = z
  .strictObject({
    huggingFace: z
      .record(z.string().max(200), z.unknown())
      .describe('The config.json that Hugging Face keeps beside the weights, as it is.'),
  })
  .describe('A model by its Hugging Face config.')

export const modelRequest = z
  .union([label(), architecture, huggingFace])
  .describe(
    'A name from /models, or of a release on Hugging Face of one of these, the dimensions of a Transformer, or a Hugging Face config.',
  )

export type HuggingFaceConfig = z.output<typeof huggingFace>['huggingFace']

export type ModelRequest = z.output<typeof modelRequest>

export const activeConvention =
  'All but the routed experts that a token does not visit, embedding and unembedding included. Authors who leave the ' +
  'embedding out, as a look-up, publish less: gpt-oss-120b 5.13e9 for 5.71e9.'

export const modelSummary = z.object({
  name: z.string(),
  parameters: z.number(),
  activeParameters: z.number().describe(activeConvention),
  trainFlopsPerToken: z.number(),
  kvCacheBytesPerToken: z
    .number()
    .describe(
      "Of a sequence as long as the workload's, over its tokens: layers with a window keep no more than it, so that a longer sequence takes less for each.",
    ),
})
