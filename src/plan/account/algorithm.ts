/** A layer's algorithm in the book's notation: matmuls and what moves between them, first forward, then backward. */
import { moveNotation } from '../../sharding/move.ts'
import { planComponents, planDerivation } from './collectives.ts'
import type { Costing } from './costing.ts'

export function algorithmLines(costing: Costing): readonly string[] {
  return planComponents(costing).flatMap((component) => {
    const { lines } = planDerivation(costing, component, costing.candidate.mix.policy)
    let pass = ''
    return lines.flatMap((line) => {
      const now = line.kind === 'move' ? line.move.pass : line.product.pass
      const heading = now === pass ? [] : [`${component.name}, ${now}:`]
      pass = now
      return [...heading, line.kind === 'move' ? moveNotation(line.move) : line.product.notation]
    })
  })
}
