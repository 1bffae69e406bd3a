/** What rules for a mesh read: the mesh, and the part of a question that it is tested against. */
import type { JoinedHosts } from '../hardware/cluster/hosts.ts'
import type { Transformer } from '../model/transformer.ts'
import { type Axis, axesOfReplicas, type Mesh } from '../sharding/axis.ts'
import type { PartRule } from './part-rule.ts'

/** The part of a question that its meshes are tested against. */
export interface MeshQuestion {
  readonly model: Transformer
  /** The chips that are to work, also where the mesh leaves some of them idle. */
  readonly chips: number
  /** New positions of a sequence, which the context axis divides. */
  readonly positions: number
  /** Sequences that the replicas divide; null where memory sets their number. */
  readonly sequences: number | null
  /** Tokens of the batch, where the assumptions let them divide regardless of sequences; otherwise null. */
  readonly freeTokens: number | null
  /** Whether heads that do not divide are padded to the next power of two. */
  readonly padsHeads: boolean
  /** Hosts that replicas are shared out over as servers of their own; null where they are not, or where a host is not joined to others. */
  readonly hosts: JoinedHosts | null
}

export interface MeshRead {
  readonly mesh: Mesh
  readonly question: MeshQuestion
}

/** What of a mesh a rule may read: its axes, or how many replicas there are, whichever axes they are counted over. */
export type MeshPart = Axis | 'replicas'

/** The axes whose sizes it says something of. */
export function axesOfPart(part: MeshPart): readonly Axis[] {
  return part === 'replicas' ? axesOfReplicas : [part]
}

export type MeshRule = PartRule<MeshRead, MeshPart>
