/**
 * Memory that DeepSpeed of early 2022 held on a chip and the frameworks of plans do not, each from its source code:
 *
 *   zero-1   the step casts the shard's fp16 gradients to fp32, whole, before it updates             + 4 bytes a
 *            parameter, sharded
 *   fp16     without ZeRO it casts every gradient, then flattens the casts into one more array       + 8 bytes a parameter
 *   bf16     gradients are added up in fp32, and those of the last microbatch stay in bf16 beside     + 2 bytes a parameter
 *   largest  under bf16 each gradient is cast to fp32 whole before it is added: 4 bytes of the largest array, which is
 *            the embedding
 *   reduced  gradients are reduced through a buffer of 5e8 elements (the default, which BLOOM's config leaves): in fp16
 *            under zero-1 and without ZeRO, in fp32 and once more in bf16 under bf16
 *   stages   keep what they sent on until its backward pass: one residual stream a microbatch in flight
 *   scores   attention was not fused: the layer being recomputed has its scores, what softmax and dropout made of them, 2 bytes each, and the
 *            mask of the latter, a byte
 *   masks    both sums of that layer's residual stream had dropout too, whole on every tensor rank, each with a mask of a byte an element
 *
 * Casts and buffers are freed after the step, but PyTorch's allocator keeps their memory, so that the driver's figure, which was
 * published, includes them beside activations. Sources: deepspeedai/DeepSpeed @824505397, runtime/zero/stage_1_and_2.py,
 * runtime/fp16/fused_optimizer.py, runtime/bf16_optimizer.py, runtime/engine.py and runtime/pipe/engine.py; for bf16, BigScience's
 * chronicles-prequel.md, "Rebalancing layers", too; for dropout (0.1, attention's and hidden) its train/tr11-176B-ml/README.md.
 */
import type { Plan } from '../../../src/plan/plan.ts'
import type { Bytes } from '../../../src/units.ts'

export type DeepspeedOptimizer = 'zero-1' | 'fp16' | 'bf16'

export function deepspeedBytes(optimizer: DeepspeedOptimizer, plan: Plan, run: DeepspeedRun): Bytes {
  const largest = optimizer === 'bf16' ? (4 * run.vocab * run.dModel) / plan.mesh.tensor : 0
  return (
    gradientCopies(optimizer, plan) +
    largest +
    reduceBucketElements * bucketBytes[optimizer] +
    sentStreams(plan, run.dModel) +
    scores(plan, run) +
    masks(plan, run)
  )
}

const reduceBucketElements = 5e8

/** Of each element of the buffer that gradients are reduced in. */
const bucketBytes = { 'zero-1': 2, fp16: 2, bf16: 4 + 2 } as const satisfies Readonly<
  Record<DeepspeedOptimizer, Bytes>
>

export interface DeepspeedRun {
  readonly dModel: number
  readonly heads: number
  readonly vocab: number
  readonly sequenceLength: number
}

function scores({ mesh, microbatchTokens }: Plan, { heads, sequenceLength }: DeepspeedRun): Bytes {
  return ((3 * 2 + 1) * heads * microbatchTokens * sequenceLength) / mesh.tensor
}

function masks({ microbatchTokens }: Plan, { dModel }: DeepspeedRun): Bytes {
  return 2 * microbatchTokens * dModel
}

/** AdamW's fp32 weights and moments are 12 bytes a parameter, sharded as the gradients of the step are. */
function gradientCopies(optimizer: DeepspeedOptimizer, { memoryBytes }: Plan): Bytes {
  if (optimizer === 'bf16') return (2 / 4) * memoryBytes.gradients
  return ((optimizer === 'fp16' ? 8 : 4) / 12) * memoryBytes.optimizer
}

/** In bf16, and whole on every tensor rank, which it was before the sequence was sharded. */
function sentStreams({ mesh, microbatches, microbatchTokens, memoryBytes }: Plan, dModel: number): Bytes {
  const { stage } = memoryBytes
  if (stage === mesh.pipeline - 1) return 0
  return Math.min(microbatches, mesh.pipeline - stage) * 2 * microbatchTokens * dModel
}
