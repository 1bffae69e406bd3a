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
  matmulHalfFlops: flops.describe('FLOP of a matmul on one chip that reaches half of that.'),
  groupedMatmulSeconds: seconds(1).describe(
    'What each matmul of experts takes beside its FLOPs in training.',
  ),
  attentionEfficiency: share().describe('Fraction of peak that the attention kernel reaches.'),
  attentionHalfKeys: z
    .number()
    .min(0)
    .max(1e6)
    .describe('Keys whose time each further start of attention takes, where keys go around a ring.'),
  sustainedShare: share().describe('Of both, what kernels hold through hours of training.'),
  fp8Share: z
    .number()
    .min(1e-6)
    .max(2)
    .describe(
      "Of a bf16 matmul's fraction of peak, what one in fp8 reaches of its own in training, up to its peak: over 1 where power holds bf16 back more.",
    ),
  fp4Share: share().describe('The same of fp4.'),
  hbmEfficiency: share(),
  cacheEfficiency: share().describe('The same of attention that reads caches.'),
  scaleUpEfficiency: share().describe('Fraction of link bandwidth inside a slice or node.'),
  scaleUpHalfBytes: z
    .number()
    .min(0)
    .max(1e15)
    .describe('Bytes of a message inside a node that reach half of that; large ones do at 0.'),
  scaleOutEfficiency: share().describe('Fraction of link bandwidth between them.'),
  latencyFactor: z.number().min(0).max(1000).describe("Multiplies the catalogue's latencies."),
  layerOverheadSeconds: seconds(10).describe('Fixed time per layer, microbatch and pass.'),
  expertLayerOverheadSeconds: seconds(10).describe('The same, beyond that, where tokens are routed.'),
  stepOverheadSeconds: seconds(1000).describe('Fixed time per step.'),
  stragglerSeconds: seconds(1000).describe(
    'What a training step waits for the last of twice as many nodes or slices.',
  ),
  inferenceLayerOverheadSeconds: seconds(10).describe('Fixed time per layer of a pass of inference.'),
  inferenceStepOverheadSeconds: seconds(1000).describe('Fixed time per pass of inference.'),
  inferenceSequenceOverheadSeconds: seconds(10).describe('Further time per pass and sequence.'),
  inferenceExpertLayerSeconds: seconds(10).describe(
    'What grouped kernels of a layer with experts take beyond the two matmuls that they stand for, in a pass of inference.',
  ),
  unpackedExpertFactor: z
    .number()
    .min(1)
    .max(100)
    .describe('How much longer experts in four bits stream where kernels unpack them, in inference.'),
  inferenceCollectiveSeconds: seconds(10).describe(
    'Of a gather or scatter of inference inside a node, beside its bytes.',
  ),
  inferenceHalfBytesShare: z
    .number()
    .min(0)
    .max(1000)
    .describe('Of scaleUpHalfBytes, what its kernels have.'),
  overlapPrefetched: shareOrNone().describe('Share of prefetchable communication that runs under compute.'),
  overlapGathered: shareOrNone().describe(
    'Of that, the most that does of weights gathered and gradients scattered in every microbatch (FSDP).',
  ),
  overlapCriticalPath: shareOrNone().describe(
    'Share of what tensor parallelism waits for inside a node or slice that does.',
  ),
  overlapExchange: shareOrNone().describe(
    'The same of what else is waited for: keys and heads over context, tokens for experts, tensor groups of several nodes.',
  ),
  overlapDispatch: shareOrNone().describe(
    'In training, the share of what experts are sent that does where one microbatch runs forwards beside another backwards: without a pipeline or with virtual stages, of more than one microbatch, of layers that are not recomputed whole.',
  ),
  overlapInference: shareOrNone().describe(
    'In inference, the share of what tensor parallelism waits for inside a node or slice that does; of the rest it is overlapExchange.',
  ),
  finiteRings: z.boolean().describe('Rings of n take (n-1)/n of V/W.'),
  inNetworkReduction: z.boolean().describe('Switches that can reduce do.'),
  choicesApart: z
    .boolean()
    .describe('The experts of a token are on as many devices as there can be, as the book has it.'),
  hierarchicalDispatch: z
    .boolean()
    .describe('Copies of a token for experts on one node cross the network between nodes once.'),
  directGeneration: z
    .boolean()
    .describe('In generation they go straight to the chips of their experts, by kernels of low latency.'),
  dispatchComputeShare: shareOrNone().describe(
    'Share of compute units that hierarchical dispatch takes while it runs beside compute.',
  ),
  twoBatchOverlap: z
    .boolean()
    .describe('Inference tries to send half of a batch to its experts while the other half computes.'),
  redundantExperts: z
    .int()
    .min(0)
    .max(10_000)
    .describe('Inference: copies of experts that there are at least where chips share them out.'),
  expertImbalance: z
    .number()
    .min(1)
    .max(1000)
    .describe('Inference: tokens on the chip whose experts have most, over their mean.'),
  contextLayouts: z
    .array(contextLayoutName)
    .min(1)
    .max(contextLayouts.length)
    .describe('How attention meets keys that are sharded over context: ways that the search tries.'),
  attentionFlops: attentionFlopsCount,
  regatherActivations: z.boolean(),
  residual: residualSharding,
  tokensDivideFreely: z.boolean(),
  zeroStages: z
    .array(z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]))
    .min(1)
    .max(4)
    .describe('ZeRO stages that the search tries.'),
  activations: activationCount,
  masterWeights: z.boolean(),
  gradientBuffer: z.boolean(),
  workspace: z.boolean(),
  lossChunks: z
    .number()
    .int()
    .min(1)
    .max(65_536)
    .describe(
      'Pieces that a microbatch is cut into for its logits and loss, one on the chip at a time; 1: logits stand whole.',
    ),
  layersGathered: z
    .int()
    .min(1)
    .max(8)
    .describe('Layers whose weights are gathered at once at most, under ZeRO-3.'),
  logitsInFp32: z
    .boolean()
    .describe('Logits stand in fp32 beside what the matmul wrote; else their gradient in its type does.'),
  recomputeLogits: z
    .boolean()
    .describe('Logits in more than one piece are computed again in the backward pass.'),
  policies: z.array(policyName).min(1).max(20).describe('Rematerialisation policies that the search tries.'),
  schedules: z.array(scheduleName).min(1).max(10).describe('Pipeline schedules that the search tries.'),
  shardedPipelines: z.boolean().describe('ZeRO-2 and 3 are tried inside pipeline stages.'),
  frameworks: z
    .array(frameworkName)
    .max(frameworks.length)
    .describe(
      'What is listed one of these can launch, of those that train or serve, and of a deployment both phases; all there is where none is named, or none of them runs the model in these types of numbers.',
    ),
  searchTensor2: z.boolean(),
  searchWeightLayouts: z
    .boolean()
    .describe('Inference tries 2D weight-stationary and weight-gathered layouts.'),
  padHeads: z.boolean().describe('Heads may be padded to what the tensor axes divide, in inference.'),
  elementwise: z.boolean(),
  wholeStreams: z
    .boolean()
    .describe('In inference each tensor chip norms and sums whole streams, as servers do, and not a part.'),
  elementwiseFactor: z
    .number()
    .min(1)
    .max(100)
    .describe('How much longer elementwise kernels of training take than the least that they stream.'),
  expertElementwiseFactor: z
    .number()
    .min(1)
    .max(100)
    .describe('The same of what experts stream: copies of tokens sorted, and their activation functions.'),
  optimizerStep: z.boolean(),
  optimizerOnHost: z
    .boolean()
    .describe("Optimizer states are in the host's memory, and come and go once a step."),
  reserveFraction: z
    .number()
    .min(0)
    .max(0.9)
    .describe('Of what the chip has, kept free of the plan: the framework, fragmentation.'),
} as const

export const assumptions = z.object({
  basis,
  stack: label().describe('Whose constants stand in some of the fields: a name of /stacks, or `none`.'),
  expertRecipe: expertRecipeName.describe(
    'How its layers with experts are run, of the ways that GET /stacks/{name} has constants of.',
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
        'A name of /stacks: the constants of what trains or serves, in place of those of any software; a framework for its stack on these chips, if it has one; or `none`. Where none is named, training has the one that these chips usually have, and inference that of the one server that may launch the plan, if only one may: a warning says which.',
      ),
    ),
    expertRecipe: z.exactOptional(
      expertRecipeName.describe(
        'How layers with experts are run: one of the ways of the stack (GET /stacks/{name}), or `unstated`, the constants of none. Where none is named there is the one that the newest recipes of the software have for these types of numbers.',
      ),
    ),
    ...exactPartial(chosen),
  })
  .describe('Named fields that differ from those of `basis`.')

export const assumptionsRequest = z
  .union([basis, overrides])
  .describe("The book's arithmetic, what a cluster does, or either with fields overridden.")

export type AssumptionsRequest = z.output<typeof assumptionsRequest>
