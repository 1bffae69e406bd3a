/** How the network is priced for inference: small arrays, moved by single kernels inside a node. */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { NetworkTerms } from '../../hardware/network/group-cost.ts'
import { rememberedOf } from '../../known.ts'

export const inferenceTerms = rememberedOf((assumptions: Assumptions): NetworkTerms => {
  const { inferenceCollectiveSeconds, inferenceHalfBytesShare, scaleUpHalfBytes } = assumptions
  return {
    ...assumptions,
    directSeconds: inferenceCollectiveSeconds,
    scaleUpHalfBytes: inferenceHalfBytesShare * scaleUpHalfBytes,
  }
})
