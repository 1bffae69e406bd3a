/** Assumptions that are numbers of hardware and software: what kernels and networks reach, fixed times, and what is hidden. */
import { z } from 'zod'
import { amount, quantity, share, shareOrNone } from '../bound.ts'

const flops = amount(1e21)

export const assumptionConstants = {
  matmulEfficiency: share().describe('Fraction of peak FLOP/s that a large matmul reaches.'),
  matmulHalfFlops: flops.describe(
    'FLOP per chip of a matmul that reaches half of `matmulEfficiency`; 0 if the size does not matter.',
  ),
  groupedMatmulSeconds: amount(1).describe(
    'Time that each expert matmul takes in training beyond its FLOPs.',
  ),
  groupedCastSeconds: amount(1).describe(
    'Further time of each expert matmul in training in a type narrower than bf16: rows of each expert are quantised by kernels of their own.',
  ),
  attentionEfficiency: share().describe('Fraction of peak FLOP/s that the attention kernel reaches.'),
  attentionHalfKeys: amount(1e6).describe(
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
  scaleUpHalfBytes: amount(1e15).describe(
    'Message size in bytes at which a collective inside a node reaches half of `scaleUpEfficiency`; 0 if the size does not matter.',
  ),
  scaleOutEfficiency: share().describe(
    'Fraction of network bandwidth that collectives reach between slices or nodes.',
  ),
  latencyFactor: amount(1000).describe('Factor on the network latencies of the catalogue.'),
  layerOverheadSeconds: amount(10).describe('Fixed time per layer, microbatch and pass.'),
  expertLayerOverheadSeconds: amount(10).describe(
    'Fixed time per layer with experts, microbatch and pass, in addition to `layerOverheadSeconds`.',
  ),
  stepOverheadSeconds: amount(1000).describe('Fixed time per step.'),
  stragglerSeconds: amount(1000).describe(
    'Extra wait of a training step each time the number of nodes or slices doubles.',
  ),
  inferenceLayerOverheadSeconds: amount(10).describe('Inference: fixed time per layer and pass.'),
  inferenceStepOverheadSeconds: amount(1000).describe('Inference: fixed time per pass.'),
  inferenceSequenceOverheadSeconds: amount(10).describe('Inference: fixed time per pass for each sequence.'),
  inferenceExpertLayerSeconds: amount(10).describe(
    'Inference: time that the grouped kernels of a layer with experts take per pass beyond their two matmuls.',
  ),
  inferenceLayerHostSeconds: amount(10).describe(
    'Prefill: time that a host takes to start the kernels of a layer one by one; a layer takes no less.',
  ),
  inferenceNarrowMatmulSeconds: amount(10).describe(
    'Prefill: time that a matmul in fp8 or less takes beyond one in 16 bits, for quantising its input and a later start.',
  ),
  unpackedExpertFactor: quantity(100).describe(
    'Inference: factor on the time to read and to multiply 4-bit experts where kernels unpack them.',
  ),
  inferenceCollectiveSeconds: amount(10).describe(
    'Inference: latency of one gather or scatter inside a node, in addition to the time of its bytes.',
  ),
  inferenceHalfBytesShare: amount(1000).describe(
    'Inference: factor on `scaleUpHalfBytes`, for the communication kernels of inference servers.',
  ),
  overlapPrefetched: shareOrNone().describe(
    'Fraction of prefetchable communication that is hidden under compute.',
  ),
  overlapGathered: shareOrNone().describe(
    'Limit on `overlapPrefetched` for weights that are gathered and gradients that are scattered in every microbatch (FSDP).',
  ),
  expertOverlapGathered: shareOrNone().describe(
    'Limit on `overlapGathered` in models with experts, whose exchanges use the same links.',
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
}
