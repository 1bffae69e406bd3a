/** The best plan of all, where it is better than all that are accepted and is not accepted itself. */
import { alone, type Crew } from '../crew.ts'
import type { Stop } from '../patience.ts'
import { bestFirst, type Looked } from './best-first.ts'
import { usualDistinct } from './distinct.ts'
import type { Candidate } from './layouts/candidate.ts'
import { insert } from './listed.ts'
import { countOf, expanded, listedAs, type MeshPlace, type MeshTurn, orderedMeshes } from './mesh-turns.ts'
import { byScore, type Listed } from './search-result.ts'

/** The best of the plans that are better than all accepted ones, if it is of interest, and how much was not looked at for it. */
export interface Refused {
  readonly refused: Candidate | null
  readonly unsought: number
}

export const noneRefused: Refused = { refused: null, unsought: 0 }

const order = byScore(usualDistinct)

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
    const best: Listed[] = []
    let unsought = 0
    const limit = () => best[0]?.score ?? most
    const seek = (turns: readonly MeshTurn[]) => {
      const { list, counts } = bestFirst<MeshTurn, Listed, Looked<Listed>>({
        ...{ turns, count: countOf, order, top: 1, most: limit(), stop },
        look: (turn, within) => {
          const looked = expanded(turn, { ...turn.bench, accepts: null, stop }, within, { nearest: false })
          if (!looked) return { best: null }
          return { unexamined: looked.unexamined, best: looked.best && listedAs(turn, looked.best) }
        },
      })
      unsought += counts.unexamined
      for (const one of list) insert(best, one, 1, order)
    }
    seek(near)
    // What is found on those leaves less hope for the others, of which many more fall by a first question.
    const beside = orderedMeshes(others, limit(), stop, alone)
    unsought += beside.counts.unexamined
    seek(beside.turns)
    const [first] = best
    return { refused: first && first.score < most ? first.candidate : null, unsought }
  }
  const cluster = (known[0] ?? others[0])?.bench.model.problem.cluster
  const restored = ({ refused, ...rest }: Refused): Refused => ({
    ...rest,
    refused: refused && cluster ? { ...refused, cluster } : null,
  })
  return crew.beside(work, { restored, stop })
}
