/** Every choice that the formulas leave open: a name or some fields in a request, all values in an answer. */

import { z } from 'zod'
import { frameworks } from '../../../src/launch/framework.ts'
import { contextLayouts } from '../../../src/sharding/tables/context-layout.ts'
import { label, seconds, share, shareOrNone } from '../bound.ts'
import { exactPartial } from '../exact-partial.ts'
import {
  activationCount,
  attentionFlopsCount,
  basis,
  contextLayoutName,
  expertRecipeName,
  frameworkName,
  policyName,
  residualSharding,
  scheduleName,
} from '../names.ts'

const flops = z.number().min(0).max(1e21)

const chosen = {
  matmulEfficiency: share().describe('Fraction of peak FLOP/s that a large matmul reaches.'),
  matmulHalfFlops: flops.describe(
    'FLOP per chip of a matmul that reaches half of `matmulEfficiency`; 0 if the size does not matter.',
  ),
  groupedMatmulSeconds: seconds(1).describe(
    'Time that each expert matmul takes in training beyond its FLOPs.',
  ),
  attentionEfficiency: share().describe('Fraction of peak FLOP/s that the attention kernel reaches.'),
  attentionHalfKeys: z
    .number()
    .min(0)
    .max(1e6)
    .describe(
      'Ring attention: the cost of each further start of the attention kernel, as the number of keys that it could compute in that time.',
    ),
  sustainedShare: share().describe(
    'Fraction of short-term matmul and attention speed that training sustains for hours.',
  ),
  fp8Share: z
    .number()
    .min(1e-6)
    .max(2)
    .describe(
      'Training: the fraction of the fp8 peak that an fp8 matmul reaches, relative to the fraction of the bf16 peak that a bf16 matmul reaches. It may exceed 1 where power limits bf16 more; the speed is capped at the fp8 peak.',
    ),
  fp4Share: share().describe('As `fp8Share`, for fp4; at most 1.'),
  hbmEfficiency: share().describe('Fraction of HBM bandwidth that kernels reach.'),
  cacheEfficiency: share().describe(
    'Fraction of HBM bandwidth that attention reaches while it reads KV caches.',
  ),
  scaleUpEfficiency: share().describe(
    'Fraction of link bandwidth that collectives reach inside a slice or node.',
  ),
  scaleUpHalfBytes: z
    .number()
    .min(0)
    .max(1e15)
    .describe(
      'Message size in bytes at which a collective inside a node reaches half of `scaleUpEfficiency`; 0 if the size does not matter.',
    ),
  scaleOutEfficiency: share().describe(
    'Fraction of network bandwidth that collectives reach between slices or nodes.',
  ),
  latencyFactor: z.number().min(0).max(1000).describe('Factor on the network latencies of the catalogue.'),
  layerOverheadSeconds: seconds(10).describe('Fixed time per layer, microbatch and pass.'),
  expertLayerOverheadSeconds: seconds(10).describe(
    'Fixed time per layer with experts, microbatch and pass, in addition to `layerOverheadSeconds`.',
  ),
  stepOverheadSeconds: seconds(1000).describe('Fixed time per step.'),
  stragglerSeconds: seconds(1000).describe(
    'Extra wait of a training step each time the number of nodes or slices doubles.',
  ),
  inferenceLayerOverheadSeconds: seconds(10).describe('Inference: fixed time per layer and pass.'),
  inferenceStepOverheadSeconds: seconds(1000).describe('Inference: fixed time per pass.'),
  inferenceSequenceOverheadSeconds: seconds(10).describe('Inference: fixed time per pass for each sequence.'),
  inferenceExpertLayerSeconds: seconds(10).describe(
    'Inference: time that the grouped kernels of a layer with experts take per pass beyond their two matmuls.',
  ),
  unpackedExpertFactor: z
    .number()
    .min(1)
    .max(100)
    .describe('Inference: factor on the time to read 4-bit experts where kernels unpack them.'),
  inferenceCollectiveSeconds: seconds(10).describe(
    'Inference: latency of one gather or scatter inside a node, in addition to the time of its bytes.',
  ),
  inferenceHalfBytesShare: z
    .number()
    .min(0)
    .max(1000)
    .describe('Inference: factor on `scaleUpHalfBytes`, for the communication kernels of inference servers.'),
  overlapPrefetched: shareOrNone().describe(
    'Fraction of prefetchable communication that is hidden under compute.',
  ),
  overlapGathered: shareOrNone().describe(
    'Limit on `overlapPrefetched` for weights that are gathered and gradients that are scattered in every microbatch (FSDP).',
  ),
  overlapCriticalPath: shareOrNone().describe(
    'Training: fraction of tensor-parallel communication inside a node or slice that is hidden under compute.',
  ),
  overlapExchange: shareOrNone().describe(
    'Fraction of other communication on the critical path that is hidden under compute: keys and heads over `context`, tokens to and from experts, tensor-parallel groups that span nodes.',
  ),
  overlapDispatch: shareOrNone().describe(
    'Training: fraction of the expert dispatch and combine that is hidden where the forward pass of one microbatch runs beside the backward pass of another. This needs more than one microbatch, no pipeline or one with virtual stages, and layers without full recomputation.',
  ),
  overlapInference: shareOrNone().describe(
    'Inference: fraction of tensor-parallel communication inside a node or slice that is hidden under compute; `overlapExchange` holds for the rest.',
  ),
  finiteRings: z
    .boolean()
    .describe('Whether a ring of n chips takes (n-1)/n of V/W (V bytes, W bandwidth) rather than all of it.'),
  inNetworkReduction: z.boolean().describe('Whether switches that can reduce in the network do so (SHARP).'),
  choicesApart: z
    .boolean()
    .describe(
      'Whether the experts of a token are always on different devices, as the book assumes, rather than placed at random.',
    ),
  hierarchicalDispatch: z
    .boolean()
    .describe(
      'Whether copies of a token for several experts on one node cross the network between nodes only once.',
    ),
  directGeneration: z
    .boolean()
    .describe(
      'Whether generation sends tokens directly to the chips of their experts, with low-latency kernels.',
    ),
  dispatchComputeShare: shareOrNone().describe(
    'Fraction of the compute units that hierarchical dispatch occupies while it runs beside compute.',
  ),
  twoBatchOverlap: z
    .boolean()
    .describe(
      'Whether inference also tries to overlap two half batches: one is sent to its experts while the other computes.',
    ),
  redundantExperts: z
    .int()
    .min(0)
    .max(10_000)
    .describe('Inference: the least number of redundant experts where experts are spread over chips.'),
  expertImbalance: z
    .number()
    .min(1)
    .max(1000)
    .describe('Inference: tokens on the chip with the busiest experts, divided by the mean.'),
  contextLayouts: z
    .array(contextLayoutName)
    .min(1)
    .max(contextLayouts.length)
    .describe('Ways of context parallelism that the search tries.'),
  attentionFlops: attentionFlopsCount.describe(
    'How the dot products of attention count in FLOPs: in full, only under the causal mask (`causal`), or not at all (`none`, the 6 x parameters rule).',
  ),
  regatherActivations: z
    .boolean()
    .describe(
      'Whether activations that the forward pass gathers over tensor are gathered again in the backward pass.',
    ),
  residual: residualSharding.describe(
    'How the residual stream between blocks is sharded over tensor: by `sequence` (Megatron), by D (`feature`, the book), or not at all (`whole`).',
  ),
  tokensDivideFreely: z
    .boolean()
    .describe(
      'Whether tokens, layers and sequences are real numbers: nothing has to divide, nothing is padded, and fsdp may split a sequence.',
    ),
  zeroStages: z
    .array(z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]))
    .min(1)
    .max(4)
    .describe('ZeRO stages that the search tries.'),
  activations: activationCount.describe(
    'How the memory of kept activations is counted: tensor by tensor (`counted`), or as the book does, in tensors of width D.',
  ),
  masterWeights: z.boolean().describe('Whether the optimizer keeps an fp32 copy of the weights.'),
  gradientBuffer: z
    .boolean()
    .describe(
      'Whether gradients have a buffer of their own, to which every microbatch adds until the optimizer runs.',
    ),
  workspace: z
    .boolean()
    .describe(
      'Whether memory counts temporary tensors: the live tensors of a layer, gathered weights, logits.',
    ),
  lossChunks: z
    .number()
    .int()
    .min(1)
    .max(65_536)
    .describe(
      'Pieces in which the logits and loss of a microbatch are computed, one at a time; 1 if the logits are held whole.',
    ),
  layersGathered: z
    .int()
    .min(1)
    .max(8)
    .describe('ZeRO-3: most layers whose weights are gathered at the same time.'),
  logitsInFp32: z
    .boolean()
    .describe(
      'Whether memory holds an fp32 copy of the logits beside the output of the matmul; otherwise it holds their gradient, in the type of that output.',
    ),
  recomputeLogits: z
    .boolean()
    .describe('Whether logits in several pieces are recomputed in the backward pass.'),
  policies: z.array(policyName).min(1).max(20).describe('Rematerialisation policies that the search tries.'),
  schedules: z.array(scheduleName).min(1).max(10).describe('Pipeline schedules that the search tries.'),
  shardedPipelines: z
    .boolean()
    .describe('Whether the search tries ZeRO-2 and ZeRO-3 inside pipeline stages.'),
  frameworks: z
    .array(frameworkName)
    .max(frameworks.length)
    .describe(
      'Plans are listed only if one of these frameworks can launch them (for a deployment, both phases). All plans are listed if none is named, or if none of those named runs this model in these element types.',
    ),
  searchTensor2: z
    .boolean()
    .describe('Whether training tries a second tensor axis (`tensor2`) where no constraint names it.'),
  searchWeightLayouts: z
    .boolean()
    .describe('Whether inference tries 2D weight-stationary and weight-gathered layouts.'),
  padHeads: z
    .boolean()
    .describe('Inference: whether heads may be padded to a number that the tensor axes divide.'),
  elementwise: z
    .boolean()
    .describe(
      'Whether norms, residual additions, activation functions, rotary embeddings, the loss and casts take time, by the bytes that they move.',
    ),
  wholeStreams: z
    .boolean()
    .describe(
      'Inference: whether each tensor-parallel chip computes norms and residual additions on the whole residual stream, as servers do, and not on its shard.',
    ),
  elementwiseFactor: z
    .number()
    .min(1)
    .max(100)
    .describe(
      'Training: time of elementwise kernels relative to the time of the bytes that they have to move.',
    ),
  expertElementwiseFactor: z
    .number()
    .min(1)
    .max(100)
    .describe(
      'As `elementwiseFactor`, for what experts move: sorting copies of tokens, and their activation functions.',
    ),
  optimizerStep: z.boolean().describe('Whether the optimizer step takes time.'),
  optimizerOnHost: z
    .boolean()
    .describe(
      "Whether optimizer states are kept in the host's memory and moved to the chip and back once per step.",
    ),
  reserveFraction: z
    .number()
    .min(0)
    .max(0.9)
    .describe("Fraction of the chip's memory that is kept free for the framework and fragmentation."),
} as const

export const assumptions = z.object({
  basis,
  stack: label().describe('The stack whose constants were used: a name from /stacks, or `none`.'),
  expertRecipe: expertRecipeName.describe(
    'How layers with experts are run: one of the ways for which GET /stacks/{name} has constants.',
  ),
  ...chosen,
})

/** The assumptions that a stack may set. */
const { sustainedShare, fp8Share, overlapCriticalPath, elementwiseFactor } = chosen
const { expertElementwiseFactor, expertLayerOverheadSeconds, overlapDispatch, hierarchicalDispatch } = chosen
const { inferenceLayerOverheadSeconds, inferenceStepOverheadSeconds } = chosen
const { inferenceSequenceOverheadSeconds, inferenceCollectiveSeconds, inferenceHalfBytesShare } = chosen
export const stackConstants = z.strictObject(
  exactPartial({
    sustainedShare,
    fp8Share,
    overlapCriticalPath,
    elementwiseFactor,
    expertElementwiseFactor,
    expertLayerOverheadSeconds,
    overlapDispatch,
    hierarchicalDispatch,
    inferenceLayerOverheadSeconds,
    inferenceStepOverheadSeconds,
    inferenceSequenceOverheadSeconds,
    inferenceCollectiveSeconds,
    inferenceHalfBytesShare,
  }),
)

const overrides = z
  .strictObject({
    basis: basis.default('calibrated'),
    stack: z.exactOptional(
      label().describe(
        'A name from /stacks, whose constants for that software replace the general ones; or a framework, for its stack on these chips; or `none`. By default training uses the stack that is usual on these chips, and inference the stack of the server that may launch the plan, if there is only one; a warning says which.',
      ),
    ),
    expertRecipe: z.exactOptional(
      expertRecipeName.describe(
        'How layers with experts are run: one of the ways that the stack has (GET /stacks/{name}), or `unstated` for none of them. The default is the way of the newest recipes of that software for these element types.',
      ),
    ),
    ...exactPartial(chosen),
  })
  .describe('Fields that replace those of `basis`.')

export const assumptionsRequest = z
  .union([basis, overrides])
  .describe(
    '`book`: ideal arithmetic, as in the book How to Scale Your Model. `calibrated`: efficiencies and overheads set on published runs. Or either of them with some fields replaced.',
  )

export type AssumptionsRequest = z.output<typeof assumptionsRequest>
