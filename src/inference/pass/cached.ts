/**
 * What the layouts of a pass keep in caches: for all sequences that are resident, or for the longest alone where that is more. Caches are paged,
 * so that as many sequences fit as their mean allows; but each group of chips has to have room for one as long as any may be, or a server of vLLM
 * does not start. Source: vllm-project/vllm 001cabc, vllm/v1/core/kv_cache_utils.py (_check_enough_kv_cache_memory).
 */
import { type Mesh, meshSize, replicasOf } from '../../sharding/axis.ts'
import type { Bytes } from '../../units.ts'
import type { Offered } from '../layout/compiled-layout.ts'
import { type Shape, type Sizes, setShape } from '../layout/local-sizes.ts'
import { sumOf } from '../layout/local-term.ts'
import type { Pass } from './pass.ts'

/** Bytes of a layer, by component and layout; the mesh is set. One component has all caches, so that what is more for it is more in all. */
export function cachedBytes(
  sizes: Sizes,
  mesh: Mesh,
  pass: Pick<Pass, 'resident' | 'longest'>,
  layouts: Offered,
): readonly (readonly Bytes[])[] {
  const keeping = (shape: Shape) => {
    setShape(sizes, shape)
    return layouts.map((options) => options.map(({ cached }) => sumOf(cached, sizes)))
  }
  const all = keeping(pass.resident)
  const shape = longestShape(pass, mesh)
  if (!shape) return all
  const alone = keeping(shape)
  return all.map((options, at) => options.map((bytes, option) => Math.max(bytes, alone[at]?.[option] ?? 0)))
}

/** Null where as many sequences as there are surely keep no less, on whichever chips they are. */
function longestShape({ resident, longest }: Pick<Pass, 'resident' | 'longest'>, mesh: Mesh): Shape | null {
  if (!longest || resident.sequences >= longest.times * meshSize(mesh)) return null
  return { ...longest.kept, sequences: replicasOf(mesh) }
}
