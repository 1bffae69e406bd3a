/** How the chips of a server lie that its options describe: their mesh, and the layout of each component over it. */
import { compact } from '../../compact.ts'
import type { CacheLayout } from '../../sharding/tables/inference-sharding.ts'
import type { ReadingContext } from '../read/reading.ts'
import { type BesideGroups, groupWays } from './attention-groups.ts'
import type { Said } from './server-said.ts'

export function meshOf(tensors: number, groups: number, dispatched: boolean) {
  if (dispatched) return { expert: groups }
  return groups === 1 || groups === tensors
    ? { tensor: tensors }
    : { tensor: tensors / groups, tensor2: groups }
}

/** A component's name depends on the model, so the layout is left out while the model is unknown. */
export function layoutOf(
  { tensors, groups, experts, positions, besideGroups }: Said,
  { model }: ReadingContext,
  mode: string,
  dispatched: boolean,
): Readonly<Record<string, unknown>> {
  if (!model || tensors === 1) return {}
  const cache = cacheOf(tensors, dispatched ? 1 : groups, positions)
  // A prompt's keys are projected once for all of its positions, but where an index chooses few of them that is not always the faster way.
  const form = mode !== 'prefill' ? 'absorbed' : !model.chooses && 'projected'
  const places = dispatched ? 'dispatched' : experts === 'dispatched' ? 'spread' : experts
  const grouped = groups > 1 && !dispatched && !model.parallelBlocks
  const attention = grouped ? (groups === tensors ? 'copied-all' : 'copied') : '1d'
  const beside = (name: keyof BesideGroups) => (grouped ? groupWays[besideGroups[name]](attention) : '1d')
  const ofExperts = grouped && !model.sharedExperts ? groupWays.all() : beside('experts')
  return {
    layout: {
      [model.parallelBlocks ? 'block' : 'attention']: compact(attention, cache, model.latent && form).join(
        '/',
      ),
      ...(grouped && model.denseLayers ? { mlp: beside('mlp') } : {}),
      ...(model.experts ? { experts: `${ofExperts}/${places}` } : {}),
      ...(grouped ? { unembedding: beside('unembedding') } : {}),
    },
  }
}

function cacheOf(tensors: number, groups: number, positions: boolean): CacheLayout {
  if (positions) return 'sequence'
  if (groups === 1) return 'heads'
  return groups === tensors ? 'batch' : 'heads-batch'
}
