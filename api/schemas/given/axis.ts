/** The mesh axes in JSON: all seven in an answer, any of them in a request. */
import { z } from 'zod'
import { axes, perAxis as ofEachAxis } from '../../../src/sharding/axis.ts'
import { count, mostChips } from '../bound.ts'
import { object } from '../field.ts'

export const axisName = z.enum(axes)

/** A schema with one field for each axis. */
export function perAxis<T extends z.ZodType>(value: T) {
  return ofEachAxis(({ says }) => value.describe(`Mesh axis of ${says}.`))
}

export const mesh = object(
  'Chips along each axis; their product is the number of chips.',
  perAxis(count(mostChips)),
)

export const partialMesh = z
  .strictObject(perAxis(z.exactOptional(count(mostChips))))
  .describe('Chips along each axis; axes that are left out are 1. The product has to be the number of chips.')
