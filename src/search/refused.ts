/** The best plan of all, where it is better than all that are accepted and is not accepted itself. */
import type { Crew } from '../crew.ts'
import { alone } from '../crew.ts'
import type { Stop } from '../patience.ts'
import { bestFirst, type Looked } from './best-first.ts'
import { usualDistinct } from './distinct.ts'
import type { Candidate } from './layouts/candidate.ts'
import {
  countOf,
  expanded,
  inSpaces,
  listedAs,
  type MeshPlace,
  type MeshTurn,
  orderedMeshes,
} from './mesh-turns.ts'
import { byScore, type Listed } from './search-result.ts'

/** The best of the plans that are better than all accepted ones, if it is of interest, and how much was not looked at for it. */
export interface Refused {
  readonly refused: Candidate | null
  readonly unsought: number
}

export const noneRefused: Refused = { refused: null, unsought: 0 }

/** The best plan that scores less than `most`, accepted or not, on the meshes whose floors are known or on `others`. */
export function refusedBeside(
  known: readonly MeshTurn[],
  others: readonly MeshPlace[],
  most: number,
  stop: Stop,
  crew: Crew,
): () => Refused {
  const near = known.filter(({ bench, floor }) => bench.accepts && floor <= most)
  const work = (): Refused => {
    const beside = orderedMeshes(others, most, stop, alone)
    const turns = [...near, ...beside.turns].sort((a, b) => a.floor - b.floor || inSpaces(a, b))
    const { list, counts } = bestFirst<MeshTurn, Listed, Looked<Listed>>({
      ...{ turns, count: countOf, order: byScore(usualDistinct), top: 1, most, stop },
      look: (turn, limit) => {
        const looked = expanded(turn, { ...turn.bench, accepts: null, stop }, limit, { nearest: false })
        const best = looked?.best ? listedAs(turn, looked.best) : null
        return looked ? { unexamined: looked.unexamined, best } : { best }
      },
    })
    const [first] = list
    return {
      refused: first && first.score < most ? first.candidate : null,
      unsought: counts.unexamined + beside.counts.unexamined,
    }
  }
  const cluster = (known[0] ?? others[0])?.bench.model.problem.cluster
  const restored = ({ refused, ...rest }: Refused): Refused => ({
    ...rest,
    refused: refused && cluster ? { ...refused, cluster } : null,
  })
  return crew.beside(work, { restored, stop })
}
