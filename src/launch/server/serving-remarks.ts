/** What is remarked on a server that its options describe: notes on what they leave unsaid, and why it could not be started. */
import { compact } from '../../compact.ts'
import type { ReadingContext } from '../read/reading.ts'
import { beyondNote } from './longer.ts'
import type { Said, Usual } from './server-said.ts'

/** Chips are not halved. */
export function deviceFault(ranks: number, devices: number): string | null {
  if (devices === 1 || ranks % devices === 0) return null
  const most = Math.ceil(ranks / devices) * devices
  const nearest = [most - devices, most].filter((count) => count > 0)
  return `software sees ${devices} devices on a chip, and ${ranks} are no whole chips: the nearest ${nearest.length === 1 ? 'is' : 'are'} ${nearest.join(' and ')}`
}

export function ofModelText(positions: number): string {
  return `the longest request is not said: ${positions} positions, as the model's config has`
}

const unlimited = 'no limit of sequences is said: as many as there is memory for'

export function unsaidSequences(usual: Usual | null): string {
  return usual === null
    ? unlimited
    : `${usual.option} is not said: at most ${usual.count} sequences at once, as it is by default`
}

/** The fault of a server of more chips than there are, or whose groups do not divide its chips. */
export function countFault(
  { tensors, groups, pipeline, replicas }: Said,
  { chips, model }: ReadingContext,
): string | null {
  if (groups > 1 && model?.parallelBlocks)
    return 'attention by sequences of a model with parallel blocks, which copies them, is not counted'
  if (!Number.isInteger(tensors / groups)) return `${groups} groups do not share out ${tensors} chips evenly`
  const server = tensors * pipeline * replicas
  if (chips === null || chips >= server) return null
  return `a server takes ${server} chips, and there are ${chips}: the nearest are servers of ${chips} and ${server} chips of /hardware`
}

/** What is said of a length beyond the model's, which is refused where the model is surely that one and nothing lets it be longer. */
export function lengthSaid({ longer, contextLength }: Said, { model }: ReadingContext) {
  if (!longer || longer.allowed) return { notes: [], refusals: [] }
  const notes = compact(beyondNote(model?.maxSequenceLength ?? null, contextLength, longer.variable))
  return { notes, refusals: model?.surePositions === true && !longer.changed ? notes : [] }
}
