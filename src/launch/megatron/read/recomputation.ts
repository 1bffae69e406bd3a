/** What a command of Megatron-LM recomputes: the inverse of recomputation.ts. */
import type { Fields } from '../../../fields.ts'
import { keepEverything, policyNamed } from '../../../recipe/policy.ts'
import type { ModelKind } from '../../../recipe/policy-row.ts'
import { layersTaken, wholeLayersAgain } from '../../run/chunks.ts'
import { modulesOf } from '../recomputation.ts'
import type { MegatronSaid } from '../settings.ts'

interface Recomputation {
  readonly field: Fields
  readonly notes: readonly string[]
}

/** `hasExperts` says it of the request's model, where it is known. */
export function rematerializationOf(
  said: MegatronSaid,
  virtualStages: number,
  stageLayers: readonly number[] | null,
  hasExperts?: boolean,
): Recomputation {
  const { granularity, method, layers: count } = said.recomputation
  const modules = said.recomputation.modules ?? ['core_attn']
  const chosen = (rematerialization: unknown, ...notes: readonly string[]) => ({
    field: { rematerialization },
    notes,
  })
  if (granularity === 'full' && method === 'block' && stageLayers) {
    const full = stageLayers.reduce((sum, layers) => sum + layersTaken(layers, virtualStages, count), 0)
    return chosen(wholeLayersAgain(full, stageLayers))
  }
  if (granularity === 'full') {
    const groups =
      count > 1
        ? [
            `--recompute-num-layers ${count}: counted with an input kept for each layer, not for each ${count}`,
          ]
        : []
    return chosen('full', ...groups)
  }
  if (granularity !== 'selective') return chosen('none')
  const [policy, own] = recomputing(modules, said, hasExperts)
  const others = modules.filter((name) => !own.includes(name))
  // Nearly all that a layer with experts keeps is in them: counted as kept, what runs would be said not to fit.
  if (others.includes(wholeExperts)) {
    const open = `--recompute-modules ${modules.join(' ')}: no policy here recomputes experts and keeps attention, so that the policy is chosen by what fits, and this says nothing of memory`
    return { field: {}, notes: [open] }
  }
  // A policy that is chosen would make any other file fit.
  const kept = `--recompute-modules ${others.join(' ')}: counted as kept; the run takes less memory and more time than is counted`
  return chosen(policy, ...(others.length > 0 ? [kept] : []))
}

/** All of the experts of a layer, with their router and its dispatch. */
const wholeExperts = 'moe'

/** The policy of such a model that recomputes most of these modules and no others, with those that it does. */
function recomputing(
  modules: readonly string[],
  { layers, pattern, experts }: MegatronSaid,
  hasExperts?: boolean,
): readonly [policy: string, own: readonly string[]] {
  // A command that names its model does not say whether that has experts: where it is not spelled out, the request's model does.
  const spelledOut = layers !== null || pattern !== null
  const isDense = spelledOut ? experts.count === null : hasExperts === false
  const unlike: ModelKind = isDense ? 'experts' : 'dense'
  const [most] = Object.entries<readonly string[]>(modulesOf)
    .filter(
      ([policy, own]) =>
        own.every((name) => modules.includes(name)) && policyNamed(policy)?.models !== unlike,
    )
    .sort(([, a], [, b]) => b.length - a.length)
  return most ?? [keepEverything.name, []]
}
