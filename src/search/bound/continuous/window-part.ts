/**
 * The windows of a step: forward and backward, each as long as its compute or as the overlappable share of what leaves
 * the units of any network cut; and what may not overlap, one after another.
 */
import type { Point } from '../../../../solvers/linear-program.ts'
import { tensorAxes } from '../../../cost/communication/traffic.ts'
import type { CostModel } from '../../../cost/model.ts'
import { axesOf } from '../../../sharding/axis.ts'
import { leaving } from './leaving.ts'
import type { Case } from './mesh-part.ts'
import type { Cut } from './network-cuts.ts'
import { added, atLeast, type Elasticities, joined, milliseconds, type Part, type Summand } from './part.ts'
import type { Flow, Unavoidable } from './unavoidable.ts'

export function windowPart(
  pass: 'forward' | 'backward',
  { flows, ...works }: Unavoidable,
  cuts: readonly Cut[],
  own: Case,
  { problem: { cluster, assumptions } }: CostModel,
): Part {
  const work = works[pass]
  const flopTime = (work.flopTime / cluster.chips + work.lostFlopTime) * milliseconds
  const hbmTime = (work.hbmTime / cluster.chips) * milliseconds
  const computes = `${pass} computes`
  const waits = cuts.map((cut) => {
    const moved = flows.map((flow) =>
      movedOver(flow, cut, own, cluster.chips, overlapOf(flow, assumptions) * flow[pass]),
    )
    return { name: `${pass} waits for ${cut.name}`, cut, ...added(moved) }
  })
  return {
    variables: [{ name: pass, cost: 1 }],
    rows: [
      { name: computes, terms: { [pass]: 1 }, lower: flopTime + hbmTime + work.overhead * milliseconds },
      ...waits.map(({ name, terms, constant }) => atLeast(pass, name, terms, constant)),
    ],
    powers: waits.flatMap(({ powers }) => powers),
    priced: [
      { row: computes, amount: () => flopTime, shares: { flops: 1 } },
      { row: computes, amount: () => hbmTime, shares: { hbmBandwidth: 1 } },
      ...waits.map(({ name, cut }) => ({
        row: name,
        amount: (values: Point['values']) => values[pass] ?? 0,
        shares: sharesOf(cut),
      })),
    ],
  }
}

/** Collectives that may not overlap run one after another, each as fast as every cut lets it. */
export function exposedPart(
  flows: readonly Flow[],
  cuts: readonly Cut[],
  own: Case,
  { problem: { cluster, assumptions } }: CostModel,
): Part {
  const parts = flows.map((flow): Part => {
    const kind = flow.critical ? 'activations' : 'weights'
    const name = `exposed ${kind} over ${axesOf(flow.over).join(' x ')} of ${axesOf(flow.others).join(' x ') || 'each'}`
    const bytes = (1 - overlapOf(flow, assumptions)) * (flow.forward + flow.backward)
    const limits = cuts.map((cut) => ({ cut, ...added([movedOver(flow, cut, own, cluster.chips, bytes)]) }))
    const row = (cut: Cut) => `${name} on ${cut.name}`
    return {
      variables: [{ name, cost: 1 }],
      rows: limits.map(({ cut, terms, constant }) => atLeast(name, row(cut), terms, constant)),
      powers: limits.flatMap(({ powers }) => powers),
      priced: limits.map(({ cut }) => ({
        row: row(cut),
        amount: (values) => values[name] ?? 0,
        shares: sharesOf(cut),
      })),
    }
  })
  return joined(parts)
}

function movedOver(flow: Flow, cut: Cut, { sharded }: Case, chips: number, bytes: number): Summand | null {
  const out = bytes > 0 ? leaving(flow, cut, sharded, chips) : null
  return out && { ...out, weight: (bytes / chips / cut.rate) * milliseconds }
}

/** The largest share of a flow that may hide, wherever its groups lie. */
function overlapOf({ critical, over }: Flow, assumptions: CostModel['problem']['assumptions']): number {
  const { overlapCriticalPath, overlapExchange, overlapPrefetched } = assumptions
  if (!critical) return overlapPrefetched
  return (over & ~tensorAxes) === 0 ? Math.max(overlapCriticalPath, overlapExchange) : overlapExchange
}

function sharesOf({ insideFraction }: Cut): Partial<Elasticities> {
  return { iciBandwidth: insideFraction, dcnBandwidth: 1 - insideFraction }
}
