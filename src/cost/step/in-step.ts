/**
 * What virtual stages of unlike lengths cost. A chip has v chunks of layers and runs p microbatches through one chunk before it goes on to the next.
 * The chips of a pipeline hand on to each other, so they all go at the pace of the slowest; those in front have gone on to chunk a while those behind
 * still run chunk a - 1. On p chips a microbatch takes, in layers,
 *
 *   S = 1/p · Σ_a Σ_o max( max_{r<=o} c_ra , max_{r>o} c_r,a-1 )
 *
 * with c_ra layers in chunk a of chip r, the larger chunks first. That is L where each chip has L layers that v divides, and L + 1 - 1/p where v does
 * not divide them. The first and the last chip are left out: some of their work is not in layers, and no other chip is like them.
 *
 * Chips that run ahead lose less than chips in step, down to nothing where the pipeline is short (test/laws/cost/uneven-chunks.test.ts simulates them), so
 * lower bounds leave this out.
 */
import { layersOfChunk } from '../../model/composition.ts'

/** Stages in a row that are alike. */
interface Alike {
  readonly first: boolean
  readonly last: boolean
  readonly layers: number
  readonly stages: number
  /** Null if layers of all stages take equally long. */
  readonly composition: unknown
}

/** How many times longer a stage of each group takes when all chips go in step, at least 1; null if no stage does. */
export function slowdowns(
  groups: readonly Alike[],
  virtualStages: number,
  stages: number,
): readonly number[] | null {
  if (virtualStages === 1) return null
  const inner = groups.filter(({ first, last }) => !first && !last)
  const even = inner.every(({ layers }) => !Number.isInteger(layers) || layers % virtualStages === 0)
  if (even) return null
  // Stages of unlike layers are cut to take equally long, so a layer counts the more the fewer layers its stage has.
  const most = Math.max(...inner.map(({ layers }) => layers))
  const worth = ({ composition, layers }: Alike) => (composition ? most / layers : 1)
  const chunks = inner.map((group) =>
    Array.from(
      { length: virtualStages },
      (_, chunk) => layersOfChunk(group.layers, virtualStages, chunk) * worth(group),
    ),
  )
  const longest = (of: readonly (readonly number[])[], chunk: number) =>
    of.reduce((most, own) => Math.max(most, own.at(chunk) ?? 0), 0)
  let layers = 0
  for (let chunk = 0; chunk < virtualStages; chunk++) {
    // Two of the p positions: only the first chip has gone on to this chunk, and all chips have.
    layers += longest(chunks, chunk - 1) + longest(chunks, chunk)
    inner.forEach((group, at) => {
      const gone = longest(chunks.slice(0, at + 1), chunk)
      layers += (group.stages - 1) * Math.max(gone, longest(chunks.slice(at), chunk - 1))
      layers += Math.max(gone, longest(chunks.slice(at + 1), chunk - 1))
    })
  }
  const inTurn = layers / stages
  return groups.map((group) =>
    group.first || group.last ? 1 : Math.max(1, inTurn / (group.layers * worth(group))),
  )
}
