/** A component of the model under one ZeRO stage: what has to move is derived, and the request's numbers are put in. */
import { attendedShare } from '../../model/flops.ts'
import type { Problem } from '../../problem.ts'
import type { Component } from '../../sharding/component.ts'
import { type Derivation, derive } from '../../sharding/derive.ts'
import type { Extents } from '../../sharding/monomial.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import { type CompiledComponent, compile } from './compile.ts'

export interface ComponentOf {
  readonly component: Component
  readonly zeroStage: ZeroStage
  /** Arrays that its backward pass makes again. */
  readonly recomputed: readonly string[]
}

export interface DerivedComponent {
  readonly derivation: Derivation
  readonly windows: CompiledComponent
}

export function derivedComponent(
  { model, workload, precision, assumptions }: Problem,
  extents: Extents,
  { component, zeroStage, recomputed }: ComponentOf,
): DerivedComponent {
  const { regatherActivations, attentionFlops } = assumptions
  const derivation = derive(component, { zeroStage, regatherActivations, recomputed })
  const attended = attendedShare(model, workload.sequenceLength, attentionFlops)
  return { derivation, windows: compile(derivation, extents, precision, assumptions, attended) }
}
