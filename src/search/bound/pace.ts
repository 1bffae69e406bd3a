/**
 * What a sequence takes at least of a replica of given inner axes, whatever its stages, its microbatches and its network: with E sequences
 * for each replica of p stages, w turns that a stage waits, and t(S) what all S sequences of the batch take as one microbatch on a chip that
 * had all layers (turn-floor.ts), no layout is under
 *
 *   (E + w)/p · t(S)/S + overhead
 *
 * as t(s)/s never rises. One time for each of them rules most out at all numbers of stages, replicas and chips.
 */
import { createScale } from '../../cost/compile/term.ts'
import type { CostModel } from '../../cost/model.ts'
import { onCluster } from '../../cost/posed.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { filledTiers, unbounded } from '../../hardware/cluster/resized-cluster.ts'
import { remembered } from '../../known.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { sequencesEach } from '../layouts/choices.ts'
import { leastWait } from './chips-floor.ts'
import { choiceTurns } from './choice-turns.ts'
import { computeFloor } from './compute-floor.ts'
import type { KnownBefore } from './known-before.ts'
import { movedBy } from './moved-floor.ts'
import { turnFloor } from './turn-floor.ts'

/** Whether replicas may be in time with so many stages and so many sequences for each; more sequences never give more hope. */
export type Paced = (replica: Mesh, pipeline: number, sequencesEach: number, limit: Seconds) => boolean

/** On any part of the cluster with so many chips or more. */
export function pacedOn(model: CostModel, shared: KnownBefore, fewest: number): Paced {
  const { problem } = model
  const { stepOverheadSeconds, tokensDivideFreely } = problem.assumptions
  const parts = tokensDivideFreely ? [] : innermostFilled(problem.cluster, fewest)
  if (parts.length === 0) return () => true
  const { splitsAny: splits } = choiceTurns(problem, shared.turns)
  const wait = leastWait(problem)
  const all = sequencesEach(problem, 1)
  const scale = createScale()
  const paces = parts.map((part) => {
    const there = onCluster(model, part)
    const turn = turnFloor(there, computeFloor(there, shared.works, { splits }), movedBy(there))
    const { exactTurns } = shared.networks(there.prices)
    return remembered((replica: Mesh): Seconds => {
      const sequences = all * replicasOf(replica)
      const known = exactTurns.find(replica, sequences)
      return (known ?? exactTurns.keep(replica, sequences, turn(replica, sequences, scale))) / all
    })
  })
  // Most replicas that have hope have it on the first.
  return (replica, pipeline, each, limit) => {
    const most = (limit * (1 + 1e-9) - stepOverheadSeconds) * pipeline
    const turns = each + wait(pipeline)
    for (const paceOf of paces) if (turns * paceOf(replica) <= most) return true
    return false
  }
}

/**
 * A network without end for each number of chips that parts may have in an innermost unit; none on a torus, whose smaller slices are other
 * networks, nor where parts may leave a unit further out unfilled.
 */
function innermostFilled(cluster: Cluster, fewest: number): readonly Cluster[] {
  const { network, chips } = cluster
  if (network.kind === 'torus' || fewest < filledTiers(network)) return []
  const [innermost, ...outer] = network.tiers
  const size = innermost?.size ?? null
  if (!innermost || size === null) return [unbounded(cluster, network)]
  const units = Math.ceil(chips / size)
  return Array.from({ length: size }, (_, fewer) => size - fewer)
    .filter((each) => each === size || each * units >= fewest)
    .map((each) => unbounded(cluster, { ...network, tiers: [{ ...innermost, size: each }, ...outer] }))
}
