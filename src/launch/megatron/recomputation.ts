/**
 * Megatron-LM can recompute the attention of every layer, every whole layer, or the first n layers of every chunk
 * (`block`). A mix of whole layers can therefore be expressed only if a single n gives the right number in every stage;
 * null if not. Source: as megatron/flags.ts, and megatron/core/recompute.py, which counts n per chunk, not per stage.
 */
import type { PolicyName } from '../../recipe/policies.ts'
import { keepEverything, recomputeEverything } from '../../recipe/policy.ts'
import { layersTaken } from '../run/chunks.ts'
import type { Run } from '../run/run.ts'

const ofAllLayers: Readonly<Record<string, readonly string[]>> = {
  none: [],
  selective: ['--recompute-granularity', 'selective', '--recompute-modules', 'core_attn'],
  full: ['--recompute-granularity', 'full', '--recompute-method', 'uniform', '--recompute-num-layers', '1'],
} satisfies Partial<Record<PolicyName, readonly string[]>>

export function megatronRecomputation(run: Run): readonly (string | number)[] | null {
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
