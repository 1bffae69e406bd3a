/**
 * A file that names a shape and no release of it: the catalogue's model where the request says none, and otherwise the dimensions that the
 * request's has to have, whatever its name.
 */
import type { Fields } from '../../../src/fields.ts'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import { denseLayers } from '../../../src/model/expert-layers.ts'
import { type Catalogue, knownModel } from '../../catalogue.ts'
import { spelt } from './changed-model.ts'

export function withModelOf(reading: LaunchReading, own: Fields, catalogue: Catalogue): LaunchReading {
  const { modelOf } = reading
  const known = modelOf === undefined ? undefined : knownModel(catalogue, modelOf)
  if (!known) return reading
  if (own.model === undefined) return { ...reading, named: known.record.name }
  const { dFf, ...shape } = spelt(known)
  // Where all layers have experts, releases of one shape write what they like for the width of the MLP that none has.
  const isUsed = denseLayers(known.transformer) > 0
  return { ...reading, model: { ...shape, ...(isUsed ? { dFf } : {}) }, wholeModel: true }
}
