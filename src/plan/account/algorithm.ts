/** A layer's algorithm in the book's notation: matmuls and what moves between them, first forward, then backward. */
import { known } from '../../known.ts'
import type { Component } from '../../sharding/component.ts'
import type { Derivation } from '../../sharding/derive.ts'
import { moveNotation } from '../../sharding/move.ts'
import { planComponents, planDerivation } from './collectives.ts'
import type { Costing } from './costing.ts'

export function algorithmLines(costing: Costing): readonly string[] {
  return planComponents(costing).flatMap((component) => {
    const derivation = planDerivation(costing, component, costing.candidate.mix.policy)
    // Plans share what is derived of their components.
    return known(written, derivation, () => linesOf(component, derivation))
  })
}

const written = new WeakMap<Derivation, readonly string[]>()

function linesOf({ name }: Component, { lines }: Derivation): readonly string[] {
  let pass = ''
  return lines.flatMap((line) => {
    const now = line.kind === 'move' ? line.move.pass : line.product.pass
    const heading = now === pass ? [] : [`${name}, ${now}:`]
    pass = now
    return [...heading, line.kind === 'move' ? moveNotation(line.move) : line.product.notation]
  })
}
