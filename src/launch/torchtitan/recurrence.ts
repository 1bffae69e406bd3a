/**
 * Models with a recurrence, which the release has not and main has as qwen3_5: gated delta nets, without context parallelism. Plans are
 * written for no such model. Source: version.ts, torchtitan/models/qwen3_5/{__init__,parallelize}.py.
 */
import type { RecurrentMixer } from '../../model/recurrent-mixers.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { Rule } from '../../rules/rule.ts'
import type { MeshRun } from '../run/run.ts'

const mixersOnMain: readonly RecurrentMixer[] = ['gated-delta-net']

/** Whether only main has models of this kind, so that nothing of the release's flavors is said of it. */
export function isOnMainAlone({ recurrence }: Transformer): boolean {
  return recurrence !== undefined && mixersOnMain.includes(recurrence.mixer)
}

export const recurrenceRules: readonly Rule<MeshRun>[] = [
  {
    broken: ({ model }) => model.recurrence !== undefined && !isOnMainAlone(model),
    says: ({ model }) => `torchtitan has no ${model.recurrence?.mixer}`,
  },
  {
    broken: ({ model, mesh }) => isOnMainAlone(model) && mesh.context > 1,
    says: "torchtitan's models with a recurrence (qwen3_5) have no context parallelism",
  },
  {
    broken: ({ model }) => isOnMainAlone(model),
    says: "torchtitan's models with a recurrence (qwen3_5) are on main alone, and are not written",
    unwritten: true,
  },
]
