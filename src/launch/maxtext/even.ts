/** Sizes that the axes of MaxText have to divide. Source: as config.ts. */
import type { Rule } from '../../rules/rule.ts'
import { widthRules } from '../run/rules.ts'
import type { MeshRun } from '../run/run.ts'

/** MaxText drops an axis from a dimension that it does not divide. */
export const evenRules = rulesOfSizes()

function rulesOfSizes(): readonly Rule<MeshRun>[] {
  const divides = (
    name: string,
    size: (run: MeshRun) => number,
    shards: (mesh: MeshRun['mesh']) => number,
  ): Rule<MeshRun> => ({
    broken: (run) => size(run) % shards(run.mesh) !== 0,
    says: (run) => `${name} ${size(run)} cannot be sharded evenly ${shards(run.mesh)} ways`,
  })
  return [
    divides(
      'dModel',
      ({ model }) => model.dModel,
      ({ fsdp, context, expert }) => fsdp * context * expert,
    ),
    divides(
      'dModel',
      ({ model }) => model.dModel,
      ({ tensor }) => tensor,
    ),
    ...widthRules,
    divides(
      'the vocabulary',
      ({ model }) => model.vocab,
      ({ tensor }) => tensor,
    ),
    divides(
      'key-value heads',
      ({ model }) => model.kvHeads,
      ({ tensor }) => tensor,
    ),
    divides(
      'the sequence length',
      ({ sequenceLength }) => sequenceLength,
      ({ context }) => (context > 1 ? 2 * context : 1),
    ),
  ]
}
