/**
 * MaxText's keys for the context axis. On TPUs all strategies but gathering use Tokamax kernels, which have no windows, and so
 * does attention that an index chooses positions for.
 * Its ring cuts sequences into c² parts for c chips, needs an even c, and does not support packed sequences with latent
 * attention. Ulysses stays inside a slice and needs positions in their natural order, and so do layers that predict further
 * tokens: they shift a sequence by one position on all chips. Source: as config.ts, docs/reference/mtp_cp_packing.md.
 */

import type { Rule } from '../../rules/rule.ts'
import { contextLayoutRow } from '../../sharding/tables/context-layout.ts'
import type { ContextLayout } from '../../sharding/tables/context-layouts.ts'
import { attendsLocally } from '../run/rules.ts'
import type { LayoutRun, Run } from '../run/run.ts'
import type { MaxtextConfig } from './keys.ts'

export const contextStrategies = { gather: 'all_gather', ring: 'ring', ulysses: 'ulysses' } as const

export function maxtextContext(run: Run): MaxtextConfig {
  const { mesh, contextLayout, model } = run
  const { keys } = contextLayoutRow(contextLayout)
  const tokamax = onTpu(run) && (model.attention.index || (mesh.context > 1 && keys !== 'whole'))
  const kernels = tokamax ? { use_tokamax_splash: true } : {}
  if (mesh.context === 1) return kernels
  return {
    context_parallel_strategy: contextStrategies[contextLayout],
    ...kernels,
    ...(keys === 'exchanged' ? { context_parallel_load_balance: false } : {}),
  }
}

function onTpu({ problem }: Pick<LayoutRun, 'problem'>): boolean {
  return problem.cluster.chip.kind === 'tpu'
}

/** A rule for runs with this context layout, or with any if `layout` is null. */
function of(
  layout: ContextLayout | null,
  broken: Rule<LayoutRun>['broken'],
  says: Rule<LayoutRun>['says'],
): Rule<LayoutRun> {
  const laid = (run: LayoutRun) => run.mesh.context > 1 && (layout === null || run.contextLayout === layout)
  return { broken: (run) => laid(run) && broken(run), says }
}

export const maxtextContextRules: readonly Rule<LayoutRun>[] = [
  of(null, (run) => !onTpu(run) && attendsLocally(run), "MaxText's windows on GPUs do not go with context"),
  of(
    null,
    (run) => onTpu(run) && contextLayoutRow(run.contextLayout).keys !== 'whole' && attendsLocally(run),
    ({ contextLayout }) => `MaxText's windows do not go with ${contextLayout}`,
  ),
  of('ulysses', (run) => !onTpu(run), 'MaxText has ulysses on TPUs only'),
  of(
    'ulysses',
    ({ model }) => model.attention.latent !== null,
    "MaxText's ulysses does not go with latent attention",
  ),
  of(
    'ring',
    (run) => onTpu(run) && run.model.attention.latent !== null,
    "MaxText's ring does not go with packed sequences and latent attention",
  ),
  of(
    'ring',
    (run) => onTpu(run) && run.mesh.context % 2 !== 0,
    ({ mesh }) => `MaxText's ring wants an even number of chips, not ${mesh.context}`,
  ),
  of(
    'ring',
    (run) => onTpu(run) && run.sequenceLength % run.mesh.context ** 2 !== 0,
    ({ mesh: { context }, sequenceLength }) =>
      `${context} x ${context} does not divide the sequence length ${sequenceLength}, which MaxText's ring wants`,
  ),
  {
    ...of(
      null,
      ({ model, contextLayout }) =>
        model.multiTokenLayers > 0 && contextLayoutRow(contextLayout).keys !== 'exchanged',
      ({ contextLayout }) =>
        `MaxText predicts further tokens where a chip has positions in their natural order, not where ${contextLayout} gives all chips equally much to do, as plans count it (context_parallel_load_balance)`,
    ),
    unwritten: true,
  },
]
