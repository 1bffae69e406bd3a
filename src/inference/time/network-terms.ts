/** How the network is priced for inference: small arrays, moved by single kernels inside a node. */
import type { Assumptions } from '../../assumptions/assumptions.ts'
import type { NetworkTerms } from '../../hardware/network/group-cost.ts'
import { known } from '../../known.ts'

export function inferenceTerms(assumptions: Assumptions): NetworkTerms {
  const { inferenceCollectiveSeconds, inferenceHalfBytesShare, scaleUpHalfBytes } = assumptions
  return known(terms, assumptions, () => ({
    ...assumptions,
    directSeconds: inferenceCollectiveSeconds,
    scaleUpHalfBytes: inferenceHalfBytesShare * scaleUpHalfBytes,
  }))
}

const terms = new WeakMap<Assumptions, NetworkTerms>()
