/** The checkpoint that somebody asks for by name: the catalogue's, else what the name itself says, else the model's first release. */
import { type Checkpoint, checkpointIn } from '../model/hugging-face/checkpoint.ts'
import { type Fields, fieldsOf } from '../model/hugging-face/fields.ts'
import { quantizationOf } from '../model/hugging-face/quantization.ts'
import { configNamed, isRepository } from '../model/release-name.ts'
import type { Transformer } from '../model/transformer.ts'
import type { Precision } from '../problem.ts'
import { usualType } from '../recipe/element-type.ts'
import { checkpointFor } from './stored.ts'

/**
 * `released` with the checkpoint that is meant put first; unchanged when the name is only that of the model. Of a release that is not
 * known, the layout is that of a known one in the same type, by the same owner or as the model was first released, since such numbers are
 * copied; whoever else quantises a model chooses for himself what he leaves alone, and has what his name says.
 */
export function checkpointsNamed(
  name: string,
  released: readonly Checkpoint[],
  model: Transformer,
): readonly Checkpoint[] {
  const same = released.find((one) => one.name?.toLowerCase() === name.toLowerCase())
  const config = same ? null : fieldsNamed(name)
  const said = config ? checkpointIn(config)?.(model) : undefined
  if (!same && !said && !isRepository(name)) return released
  if (same) return [same, ...released.filter((one) => one !== same)]
  const ofType = said ? released.filter(({ weights }) => checkpointFor([said], weights)) : released
  const alike = ofType.find((one) => !isRepository(name) || one === released[0] || isOwner(name, one))
  const found = alike ?? said ?? { weights: usualType }
  const guessed = found.quantized ? { guessedFrom: alike?.name ?? 'its name' } : {}
  const first = isRepository(name) ? { ...found, ...guessed, name } : { ...found, ...(alike ? {} : guessed) }
  return [first, ...released.filter((one) => one !== found)]
}

function isOwner(name: string, { name: other = '' }: Checkpoint): boolean {
  const [own, theirs] = [name, other].map((one) => one.split('/')[0]?.toLowerCase())
  return own === theirs
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
