/**
 * What was worked out for one replica and so many of its sequences. Replicas and stages beside each other do not matter to what a chip
 * with all of the layers does, nor to what one layer takes.
 */
import { known } from '../../known.ts'
import { type Mesh, replicasOf } from '../../sharding/axis.ts'

/** Of so many sequences of all replicas. */
export type ByReplica<Value> = (mesh: Mesh, sequences: number, made: () => Value) => Value

type BySequences<Value> = Map<number, Value>

/** Keys are numbers, as they are asked for more often than anything is worked out; no axis is as large as that. */
const beyondAnyAxis = 2 ** 25

/** `pipelined`: whether it matters that there are stages. */
export function byReplica<Value>({ pipelined }: { readonly pipelined: boolean }): ByReplica<Value> {
  const all = new Map<number, Map<number, BySequences<Value>>>()
  let last: Mesh | null = null
  let replicas = 1
  let own: BySequences<Value> = new Map()
  return (mesh, sequences, made) => {
    if (mesh !== last) {
      const { tensor, tensor2, context, expert, pipeline } = mesh
      const ofTensors = known(all, tensor * beyondAnyAxis + tensor2, () => new Map())
      const others = 2 * expert + (pipelined && pipeline > 1 ? 1 : 0)
      own = known(ofTensors, 2 * context * beyondAnyAxis + others, () => new Map())
      replicas = replicasOf(mesh)
      last = mesh
    }
    return known(own, sequences / replicas, made)
  }
}
