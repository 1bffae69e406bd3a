/**
 * What virtual stages of unlike lengths cost. A chip has v chunks of layers and runs p microbatches through one before it goes on to the next. Chips of a
 * pipeline hand on to each other, so that they go at the pace of the slowest; those in front have gone on to chunk a while those behind run chunk a - 1. A
 * microbatch on p chips takes, in layers,
 *
 *   S = 1/p · Σ_a Σ_o max( max_{r<=o} c_ra , max_{r>o} c_r,a-1 )
 *
 * with c_ra layers in chunk a of chip r, the larger chunks first. That is L where each chip has L layers that v divides, and L + 1 - 1/p where v does not
 * divide them. The first and the last chip are left out, as what else they do is not in layers, and no other chip is like them.
 *
 * Chips that send ahead lose less than those in step, down to nothing where the pipeline is short (test/laws/uneven-chunks.test.ts simulates them): bounds from
 * below leave it out.
 */
import { layersOfChunk } from '../../model/composition.ts'
import type { Schedule } from '../../recipe/schedule.ts'
import type { StageGroup } from './stages.ts'

/** With how many times longer each stage takes in step. */
export function inStep(
  groups: readonly StageGroup[],
  { virtualStages }: Schedule,
  stages: number,
): readonly StageGroup[] {
  const inner = groups.filter(({ first, last }) => !first && !last)
  const even = inner.every(({ layers }) => !Number.isInteger(layers) || layers % virtualStages === 0)
  if (even || virtualStages === 1) return groups
  // Unlike layers are cut into stages that take equally long: layers of each count by its share.
  const most = Math.max(...inner.map(({ layers }) => layers))
  const worth = ({ composition, layers }: StageGroup) => (composition ? most / layers : 1)
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
    // Where the first chip alone has gone on, and where all have.
    layers += longest(chunks, chunk - 1) + longest(chunks, chunk)
    inner.forEach((group, at) => {
      const [ahead, here, behind] = [chunks.slice(0, at), chunks.slice(at, at + 1), chunks.slice(at + 1)]
      const gone = longest([...ahead, ...here], chunk)
      layers += (group.stages - 1) * Math.max(gone, longest([...here, ...behind], chunk - 1))
      layers += Math.max(gone, longest(behind, chunk - 1))
    })
  }
  const inTurn = layers / stages
  return groups.map((group) =>
    group.first || group.last
      ? group
      : { ...group, slowdown: Math.max(1, inTurn / (group.layers * worth(group))) },
  )
}
