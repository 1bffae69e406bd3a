/** The checkpoint that somebody asks for by name: the catalogue's, else what the name itself says, else the model's first release. */
import { type Checkpoint, checkpointIn } from '../model/hugging-face/checkpoint.ts'
import { type Fields, fieldsOf } from '../model/hugging-face/fields.ts'
import { quantizationOf } from '../model/hugging-face/quantization.ts'
import { configNamed, isRepository } from '../model/release-name.ts'
import type { Transformer } from '../model/transformer.ts'
import type { Precision } from '../problem.ts'
import { usualType } from '../recipe/element-type.ts'
import { checkpointFor } from './stored.ts'

/** `released` with the checkpoint that is meant put first; unchanged when the name is only that of the model. */
export function checkpointsNamed(
  name: string,
  released: readonly Checkpoint[],
  model: Transformer,
): readonly Checkpoint[] {
  const same = released.find((one) => one.name?.toLowerCase() === name.toLowerCase())
  const config = same ? null : fieldsNamed(name)
  const said = config ? checkpointIn(config)?.(model) : undefined
  if (!same && !said && !isRepository(name)) return released
  const alike = said && checkpointFor(released, said.weights)
  const found = same ?? alike ?? said ?? released[0] ?? { weights: usualType }
  const first = isRepository(name) ? { ...found, name } : found
  return [first, ...released.filter((one) => one !== found)]
}

/** The types that a name says; none when it says nothing. */
export function typesNamed(name: string): Readonly<Partial<Pick<Precision, 'weights' | 'compute'>>> {
  const config = fieldsNamed(name)
  if (!config) return {}
  const { weights, activations = usualType } = quantizationOf(config)?.scheme ?? { weights: usualType }
  return { weights, compute: activations }
}

function fieldsNamed(name: string): Fields | null {
  const config = configNamed(name)
  return config && fieldsOf(config, { faults: [], notes: [] })
}
