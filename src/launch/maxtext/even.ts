/** Sizes that the axes of MaxText have to divide. Source: as config.ts. */
import type { Rule } from '../../rules/rule.ts'
import { widthRules } from '../run/rules.ts'
import type { MeshRun } from '../run/run.ts'

/** MaxText drops an axis from a dimension that it does not divide. */
export const evenRules: readonly Rule<MeshRun>[] = [
  evenly('dModel', ({ model, mesh }) => [model.dModel, mesh.fsdp * mesh.context * mesh.expert]),
  evenly('dModel', ({ model, mesh }) => [model.dModel, mesh.tensor]),
  ...widthRules,
  evenly('the vocabulary', ({ model, mesh }) => [model.vocab, mesh.tensor]),
  evenly('key-value heads', ({ model, mesh }) => [model.kvHeads, mesh.tensor]),
  evenly('the sequence length', ({ sequenceLength, mesh: { context } }) => {
    return [sequenceLength, context > 1 ? 2 * context : 1]
  }),
]

function evenly(name: string, of: (run: MeshRun) => readonly [size: number, shards: number]): Rule<MeshRun> {
  return {
    broken: (run) => {
      const [size, shards] = of(run)
      return size % shards !== 0
    },
    says: (run) => `${name} ${of(run)[0]} cannot be sharded evenly ${of(run)[1]} ways`,
  }
}
