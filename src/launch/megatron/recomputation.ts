/**
 * Megatron-LM can recompute modules of every layer, every whole layer, or the first n layers of every chunk
 * (`block`). A mix of whole layers can therefore be expressed only if a single n gives the right number in every stage;
 * null if not. Source: as megatron/flags.ts, and megatron/core/recompute.py, which counts n per chunk, not per stage.
 */

import type { PolicyName } from '../../recipe/policies.ts'
import { keepEverything, recomputeEverything } from '../../recipe/policy.ts'
import { layersTaken } from '../run/chunks.ts'
import type { Run } from '../run/run.ts'
import type { Word } from '../start.ts'

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

const selective = Object.entries(modulesOf).map(
  ([policy, modules]) =>
    [policy, ['--recompute-granularity', 'selective', '--recompute-modules', ...modules]] as const,
)

const ofAllLayers: Readonly<Record<string, readonly string[]>> = {
  none: [],
  ...Object.fromEntries(selective),
  full: ['--recompute-granularity', 'full', '--recompute-method', 'uniform', '--recompute-num-layers', '1'],
} satisfies Partial<Record<PolicyName, readonly string[]>>

export function megatronRecomputation(run: Run): readonly Word[] | null {
  const { policy, other, count } = run.recomputation
  if (count === 0) return ofAllLayers[policy] ?? null
  const full = [policy, other].indexOf(recomputeEverything.name)
  if (full < 0 || ![policy, other].includes(keepEverything.name)) return null
  const wanted = (layers: number) => (full === 1 ? Math.min(count, layers) : layers - Math.min(count, layers))
  const perChunk = layersPerChunk(run, wanted)
  if (perChunk === null) return null
  return [
    '--recompute-granularity',
    'full',
    '--recompute-method',
    'block',
    '--recompute-num-layers',
    perChunk,
  ]
}

function layersPerChunk({ stageLayers, schedule }: Run, wanted: (layers: number) => number): number | null {
  const most = Math.max(...stageLayers)
  for (let perChunk = 1; perChunk <= most; perChunk++) {
    const makes = (layers: number) => layersTaken(layers, schedule.virtualStages, perChunk) === wanted(layers)
    if (stageLayers.every(makes)) return perChunk
  }
  return null
}
