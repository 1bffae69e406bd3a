/**
 * MaxText's keys for the context axis. On TPUs all but the gathering kernel are Tokamax's, which have no windows; its ring
 * cuts sequences into c² parts for c chips, an even number of them, and knows no packed sequences with latent attention.
 * Ulysses stays inside a slice and wants positions in their natural order. Source: as config.ts.
 */

import type { Check } from '../launch.ts'
import type { Run } from '../run/run.ts'
import type { MaxtextConfig } from './config.ts'

const strategies = { gather: 'all_gather', ring: 'ring', ulysses: 'ulysses' } as const

export function maxtextContext({ mesh, contextLayout, problem }: Run): MaxtextConfig {
  if (mesh.context === 1) return {}
  const tokamax = contextLayout !== 'gather' && problem.cluster.chip.kind === 'tpu'
  return {
    context_parallel_strategy: strategies[contextLayout],
    ...(tokamax ? { use_tokamax_splash: true } : {}),
    ...(contextLayout === 'ulysses' ? { context_parallel_load_balance: false } : {}),
  }
}

export function maxtextContextChecks(run: Run): readonly Check[] {
  const { mesh, contextLayout, model, sequenceLength, problem } = run
  const { context } = mesh
  if (context === 1) return []
  const gpu = problem.cluster.chip.kind === 'gpu'
  const ring = contextLayout === 'ring' && !gpu
  const local = model.attention.window !== null && model.attention.globalEvery !== 1
  const latent = model.attention.latent !== null
  return [
    [gpu && local, "MaxText's windows on GPUs do not go with context"],
    [!gpu && contextLayout !== 'gather' && local, `MaxText's windows do not go with ${contextLayout}`],
    [gpu && contextLayout === 'ulysses', 'MaxText has ulysses on TPUs only'],
    [contextLayout === 'ulysses' && latent, "MaxText's ulysses does not go with latent attention"],
    [ring && latent, "MaxText's ring does not go with packed sequences and latent attention"],
    [ring && context % 2 !== 0, `MaxText's ring wants an even number of chips, not ${context}`],
    [
      ring && sequenceLength % context ** 2 !== 0,
      `${context} x ${context} does not divide the sequence length ${sequenceLength}, which MaxText's ring wants`,
    ],
    [ring && model.multiTokenLayers > 0, "MaxText's ring does not predict further tokens"],
  ]
}
