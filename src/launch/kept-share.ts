/**
 * What a server keeps of its share (`cacheShare.keptBytes`) is of the ranks that it was read with. On another mesh the same server keeps something
 * else: kernels and NCCL allocate more on a rank that is one of several, and a stage captures graphs of its own layers alone.
 */
import { devicesOn } from '../hardware/chip.ts'
import type { Transformer } from '../model/transformer.ts'
import type { CacheShare, ServeSketch } from '../plan-sketch.ts'
import type { Setting } from '../problem.ts'
import type { Mesh } from '../sharding/axis.ts'
import { fieldsNamed, sequenceGroups } from '../sharding/tables/inference-layout-fields.ts'
import type { Bytes } from '../units.ts'
import { knownOf } from './read/known-model.ts'
import { residentBytes } from './server/resident.ts'
import { vllmKeepsElsewhere } from './vllm/memory.ts'

/** A mesh, and the layouts of its components by their names. */
export interface Laid {
  readonly mesh: Mesh
  readonly layout: Readonly<Record<string, string>>
}

/** Limits of a server of both phases, over all that read prompts of their own; each of these keeps its own on another mesh. */
export type Limits = Pick<ServeSketch, 'maxSequences' | 'stepTokens'>

interface Lying {
  /** Ranks of one stage of a replica, those that attend to the same sequences, and groups of these over all replicas. */
  readonly ranks: number
  readonly sharing: number
  readonly groups: number
  readonly stages: number
}

type Moved = (kept: Bytes, model: Transformer, from: Lying, to: Lying, limits: Limits) => Bytes

const ofVllm: Moved = (kept, model, from, to, { maxSequences, stepTokens }) => {
  const [sequences, tokens] = [maxSequences, stepTokens].map((all) => all && Math.ceil(all / from.groups))
  const limits = sequences && tokens ? { sequences, tokens } : null
  const at = ({ sharing, stages }: Lying) => ({ ranks: sharing, stages })
  return vllmKeepsElsewhere(knownOf(model), kept, limits, at(from), at(to))
}

const ofSglang: Moved = (kept, _model, from, to) => kept + residentBytes(to.ranks) - residentBytes(from.ranks)

/** By the share that is said, as each server says another. */
const moved = [
  ['ofChip', ofVllm],
  ['bytes', ofVllm],
  ['ofMemory', ofSglang],
] as const satisfies readonly (readonly [keyof CacheShare, Moved])[]

/** The share of the same server on another mesh. */
export function shareOn(
  share: CacheShare,
  { cluster, model }: Pick<Setting, 'cluster' | 'model'>,
  limits: Limits,
  from: Laid,
  to: Laid,
): CacheShare {
  const { keptBytes } = share
  const [, keptThere] = moved.find(([name]) => share[name] !== undefined) ?? []
  if (keptBytes === undefined || keptThere === undefined || cluster.chip.kind !== 'gpu') return share
  const [own, other] = [from, to].map((laid) => lying(laid, devicesOn(cluster.chip)))
  if (!own || !other) return share
  return { ...share, keptBytes: Math.max(0, keptThere(keptBytes, model, own, other, limits)) }
}

function lying({ mesh, layout }: Laid, devices: number): Lying {
  const { data, tensor, tensor2, expert, pipeline } = mesh
  const caches = Object.values(layout).map((name) => fieldsNamed(name)?.cache)
  const ranks = tensor * tensor2 * expert * devices
  const groups = sequenceGroups(caches.find(Boolean) ?? 'heads', mesh) * expert
  return { ranks, sharing: ranks / groups, groups: groups * data, stages: pipeline }
}
