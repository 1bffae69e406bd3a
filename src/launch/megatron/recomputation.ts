/**
 * Megatron-LM can recompute modules of every layer, every whole layer, or the first n layers of every chunk
 * (`block`). A mix of whole layers can therefore be expressed only if a single n gives the right number in every stage;
 * null if not. Source: as megatron/flags.ts, and megatron/core/recompute.py, which counts n per chunk, not per stage.
 */

import type { PolicyName } from '../../recipe/policies.ts'
import { keepEverything, recomputeEverything } from '../../recipe/policy.ts'
import { layersTaken } from '../run/chunks.ts'
import type { Run } from '../run/run.ts'
import { counted, part, setting, word, words } from '../settings/settings.ts'

/**
 * Modules of every layer that a policy recomputes. `moe_act` is of experts alone, `mlp` of dense layers; the few dense layers before them are costed as if their
 * activation functions were recomputed too.
 */
export const modulesOf = {
  selective: ['core_attn'],
  mla_up_proj: ['mla_up_proj'],
  mlp: ['mlp'],
  moe_act: ['moe_act'],
  'layernorm+moe_act': ['layernorm', 'moe_act'],
  'layernorm+mla_up_proj+moe_act': ['layernorm', 'mla_up_proj', 'moe_act'],
} as const satisfies Partial<Record<PolicyName, readonly string[]>>

/** Values of the options; an option that is not here is left out. */
interface Recomputed {
  readonly granularity?: string
  readonly method?: string
  readonly layers?: number
  readonly modules?: readonly string[]
}

const ofAllLayers: Readonly<Record<string, Recomputed>> = {
  none: {},
  ...Object.fromEntries(
    Object.entries(modulesOf).map(([policy, modules]) => [policy, { granularity: 'selective', modules }]),
  ),
  full: { granularity: 'full', method: 'uniform', layers: 1 },
} satisfies Partial<Record<PolicyName, Recomputed>>

export const recomputationSettings = part(megatronRecomputation, {
  granularity: setting('--recompute-granularity', ({ granularity }) => granularity, word),
  method: setting('--recompute-method', ({ method }) => method, word),
  layers: setting(
    '--recompute-num-layers',
    ({ layers }) => layers,
    counted(1),
    '--activations-checkpoint-num-layers',
  ),
  modules: setting('--recompute-modules', ({ modules }) => modules, words),
})

export function megatronRecomputation(run: Run): Recomputed | null {
  const { policy, other, count } = run.recomputation
  if (count === 0) return ofAllLayers[policy] ?? null
  const full = [policy, other].indexOf(recomputeEverything.name)
  if (full < 0 || ![policy, other].includes(keepEverything.name)) return null
  const wanted = (layers: number) => (full === 1 ? Math.min(count, layers) : layers - Math.min(count, layers))
  const perChunk = layersPerChunk(run, wanted)
  return perChunk === null ? null : { granularity: 'full', method: 'block', layers: perChunk }
}

function layersPerChunk({ stageLayers, schedule }: Run, wanted: (layers: number) => number): number | null {
  const most = Math.max(...stageLayers)
  for (let perChunk = 1; perChunk <= most; perChunk++) {
    const makes = (layers: number) => layersTaken(layers, schedule.virtualStages, perChunk) === wanted(layers)
    if (stageLayers.every(makes)) return perChunk
  }
  return null
}
