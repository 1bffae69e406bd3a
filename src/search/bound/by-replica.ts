/**
 * Keeps what was computed for one replica and its number of sequences. The number of replicas and of stages changes neither what a chip
 * with all of the layers does, nor what one layer takes.
 */
import type { NetworkPrices } from '../../cost/communication/network.ts'
import { known } from '../../known.ts'
import { beyondAnyAxis, type Mesh, replicasOf } from '../../sharding/axis.ts'

/** Values by mesh and number of sequences over all its replicas. Asking for one that is there makes nothing. */
export interface ByReplica<Value> {
  readonly find: (mesh: Mesh, sequences: number) => Value | undefined
  readonly keep: (mesh: Mesh, sequences: number, value: Value) => Value
}

type BySequences<Value> = Map<number, Value>

/** How many values are kept at once, more than questions that some framework runs make; those of all layouts would fill the memory. */
const mostKept = 20_000

/** A number that is the same for meshes with like replicas only where what is kept of them is the same. */
export type KindOf = NetworkPrices['kindOf']

interface Apart {
  /** Whether a mesh with stages has another value than one without. */
  readonly pipelined: boolean
}

/** Values that hang on no network. */
export function byReplica<Value>(apart: Apart): ByReplica<Value> {
  return replicaStore<Value>(apart)(oneKind)
}

/** Values that several networks share, each of which tells its own meshes apart: those of different kinds have values of their own. */
export type ReplicaStore<Value> = (kindOf: KindOf) => ByReplica<Value>

export function replicaStore<Value>({ pipelined }: Apart): ReplicaStore<Value> {
  const all = new Map<number, Map<number, Map<number, BySequences<Value>>>>()
  let kept = 0
  return (kindOf) => {
    let last: Mesh | null = null
    let replicas = 1
    let own: BySequences<Value> = new Map()
    const ownOf = (mesh: Mesh): BySequences<Value> => {
      if (mesh === last) return own
      const { tensor, tensor2, context, expert, pipeline } = mesh
      const ofKind = known(all, kindOf(mesh), () => new Map())
      const ofTensors = known(ofKind, tensor * beyondAnyAxis + tensor2, () => new Map())
      const others = 2 * expert + (pipelined && pipeline > 1 ? 1 : 0)
      own = known(ofTensors, 2 * context * beyondAnyAxis + others, () => new Map())
      replicas = replicasOf(mesh)
      last = mesh
      return own
    }
    return {
      find: (mesh, sequences) => ownOf(mesh).get(sequences / replicas),
      keep: (mesh, sequences, value) => {
        if (kept++ >= mostKept) {
          // Others that share it write into what nobody finds any more until they are asked of their next mesh.
          all.clear()
          last = null
          kept = 1
        }
        ownOf(mesh).set(sequences / replicas, value)
        return value
      },
    }
  }
}

function oneKind(): number {
  return 0
}
