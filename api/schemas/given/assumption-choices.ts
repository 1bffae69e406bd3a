/** Assumptions that are choices: what is counted, what a plan may do, and what is kept in memory. */
import { z } from 'zod'
import { expertTensors } from '../../../src/cost/communication/expert-tensor.ts'
import { frameworks } from '../../../src/launch/framework.ts'
import { weightCopies } from '../../../src/recipe/weight-copies.ts'
import { contextLayouts } from '../../../src/sharding/tables/context-layout.ts'
import { amount, count, countOrNone, quantity, shareOrNone } from '../bound.ts'
import { flag, oneOf } from '../field.ts'
import {
  activationCount,
  attentionFlopsCount,
  contextLayoutName,
  frameworkName,
  policyName,
  recomputation,
  residualSharding,
  scheduleName,
} from '../names.ts'

export const assumptionChoices = {
  finiteRings: flag(
    'Whether a ring of n chips takes (n-1)/n of V/W (V bytes, W bandwidth) rather than all of it.',
  ),
  inNetworkReduction: flag('Whether switches that can reduce in the network do so (SHARP).'),
  expertTensor: oneOf(
    'How tensor ranks hold experts in training: each expert `sliced` over them, or, wherever they divide the experts, `whole` experts on each (expert tensor parallel size 1).',
    expertTensors,
  ),
  choicesApart: flag(
    'Whether the experts of a token are always on different devices, as the book assumes, rather than placed at random.',
  ),
  hierarchicalDispatch: flag(
    'Whether copies of a token for several experts on one node cross the network between nodes only once, and in training those for one chip are one (DeepEP, HybridEP).',
  ),
  narrowDispatch: flag(
    'Whether training sends tokens to experts in the type that these multiply in, if that is narrower, and what experts get back in the backward pass too, as DeepSeek trained V3. If not, they are sent in the type of activations and cast where they arrive, as Megatron Core, torchtitan and MaxText do.',
  ),
  directGeneration: flag(
    'Whether generation sends tokens directly to the chips of their experts, with low-latency kernels.',
  ),
  dispatchComputeShare: shareOrNone()
    .max(0.99, 'leaves some of the compute units')
    .describe('Fraction of the compute units that hierarchical dispatch keeps where it runs beside compute.'),
  twoBatchOverlap: flag(
    'Whether inference also tries to overlap two half batches: one is sent to its experts while the other computes.',
  ),
  redundantExperts: countOrNone(10_000).describe(
    'Inference: the least number of redundant experts where experts are spread over chips.',
  ),
  expertImbalance: quantity(1000).describe(
    'Inference: the least that the chip with the busiest experts has of tokens, divided by the mean; more where `expertUnevenness` says so.',
  ),
  expertUnevenness: amount(1).describe(
    'Inference: how unevenly tokens choose experts. Of n equal parts of a layer (experts, or chips that hold them), one is chosen with a coefficient of variation of this times the square root of n; 0 if all are equally popular.',
  ),
  contextLayouts: z
    .array(contextLayoutName)
    .min(1)
    .max(contextLayouts.length)
    .describe('Ways of context parallelism that the search tries.'),
  attentionFlops: attentionFlopsCount.describe(
    'How the dot products of attention count in FLOPs: in full, only under the causal mask (`causal`), or not at all (`none`, the 6 x parameters rule).',
  ),
  regatherActivations: flag(
    'Whether activations that the forward pass gathers over tensor are gathered again in the backward pass.',
  ),
  residual: residualSharding.describe(
    'How the residual stream between blocks is sharded over tensor: by `sequence` (Megatron), by D (`feature`, the book), or not at all (`whole`).',
  ),
  tokensDivideFreely: flag(
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
  masterWeights: flag('Whether the optimizer keeps an fp32 copy of the weights.'),
  masterRemainders: flag(
    "Whether only the 16 bits of that copy are kept that bf16 weights lack, 2 bytes instead of 4, as Megatron-LM's precision-aware optimizer does in ZeRO-1.",
  ),
  gradientBuffer: flag(
    'Whether gradients have a buffer of their own, to which every microbatch adds until the optimizer runs.',
  ),
  fusedAccumulation: flag(
    'Whether the matmul that computes a gradient adds it to that buffer. If not, a separate kernel adds it, which takes time in every microbatch.',
  ),
  expertBufferFactor: amount(10_000).describe(
    'Training: rows that each chip has room for of what its experts are sent, relative to an even share. 1 where buffers hold as many as arrive; 0 for the most that can arrive, min(expert, experts / active experts) times as many, as MaxText has it without `ragged_buffer_factor`. MaxText drops tokens beyond a factor.',
  ),
  gradientsBesideSum: flag(
    'Whether gradients of a microbatch lie beside the sum of those before it, both in fp32, where a step has several microbatches and no pipeline, as MaxText accumulates them. If not, they are added to one buffer.',
  ),
  endsOnEveryStage: flag(
    'Whether every stage of a pipeline holds the embedding and the head, which run outside of it on all microbatches at once, as in MaxText. If not, the first stage embeds and the last has the head, one microbatch at a time.',
  ),
  workspace: flag(
    'Whether memory counts temporary tensors: the live tensors of a layer, gathered weights, logits.',
  ),
  lossChunks: count(65_536).describe(
    'Pieces in which the logits and loss of a microbatch are computed, one at a time; 1 if the logits are held whole.',
  ),
  userBuffers: flag(
    "Whether training holds the user buffers of Transformer Engine, through which Megatron-LM sends what tensor parallelism sends inside a node (`--tp-comm-overlap`): twelve of a microbatch's residual stream, whole on each chip. They are counted only where they are known to run.",
  ),
  layersGathered: count(8).describe('ZeRO-3: most layers whose weights are gathered at the same time.'),
  narrowOperands: flag(
    'Whether what a matmul in fewer bits reads is kept for the backward pass as it was read, as Transformer Engine does, where nothing else reads it. If not, it is kept in the type of activations, as torchao does.',
  ),
  weightCopies: oneOf(
    'What training holds of weights whose matmuls run in fewer bits: `none` of their casts, which are dropped after use (torchao, XLA), both casts `beside` the weights, as Transformer Engine keeps them, or both `instead` of them (`--fp8-param-gather` of Megatron-LM, on in the precision configs of Megatron-Bridge; without a sharded optimizer it is as `beside`).',
    weightCopies,
  ),
  logitsInFp32: flag(
    'Whether memory holds an fp32 copy of the logits beside the output of the matmul; otherwise their gradient is written over that output, in its type.',
  ),
  recomputation: recomputation.describe(
    'What runs again of a layer of which only the input is kept (`full`): its `whole` forward pass, as in Megatron-LM, or what is `needed` by the backward pass, as XLA has it.',
  ),
  recomputeLogits: flag('Whether logits in several pieces are recomputed in the backward pass.'),
  policies: z.array(policyName).min(1).max(20).describe('Rematerialisation policies that the search tries.'),
  schedules: z.array(scheduleName).min(1).max(10).describe('Pipeline schedules that the search tries.'),
  shardedPipelines: flag('Whether the search tries ZeRO-2 and ZeRO-3 inside pipeline stages.'),
  frameworks: z
    .array(frameworkName)
    .max(frameworks.length)
    .describe(
      'Plans are listed only if one of these frameworks can launch them (for a deployment, both phases). All plans are listed if none is named, or if none of those named runs this model in these element types.',
    ),
  searchTensor2: flag(
    'Whether training tries a second tensor axis (`tensor2`) where no constraint names it.',
  ),
  searchWeightLayouts: flag('Whether inference tries 2D weight-stationary and weight-gathered layouts.'),
  padHeads: flag('Inference: whether heads may be padded to a number that the tensor axes divide.'),
  elementwise: flag(
    'Whether norms, residual additions, activation functions, rotary embeddings, the loss and casts take time, by the bytes that they move.',
  ),
  wholeStreams: flag(
    'Inference: whether each tensor-parallel chip computes norms and residual additions on the whole residual stream, as servers do, and not on its shard.',
  ),
  elementwiseFactor: quantity(100).describe(
    'Training: time of elementwise kernels relative to the time of the bytes that they have to move.',
  ),
  recurrenceFactor: quantity(100).describe(
    'As `elementwiseFactor`, for the kernels of a recurrence (Mamba-2, gated delta net): its convolution, chunks and states.',
  ),
  expertElementwiseFactor: quantity(100).describe(
    'As `elementwiseFactor`, for what experts move: sorting copies of tokens, and their activation functions.',
  ),
  optimizerStep: flag('Whether the optimizer step takes time.'),
  optimizerOnHost: flag(
    "Whether optimizer states are kept in the host's memory and moved to the chip and back once per step.",
  ),
  reserveFraction: amount(0.9).describe(
    "Fraction of the chip's memory that is kept free for the framework and fragmentation.",
  ),
}
