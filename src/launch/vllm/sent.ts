/** What a command that sends tokens to experts says of them: what it lacks for that, in which type experts are multiplied, and over what tokens go. */
import { compact } from '../../compact.ts'
import { usualType } from '../../recipe/element-type.ts'
import { groupFault, type SendingKernels } from '../deep-ep-groups.ts'
import type { ReadingContext } from '../read/reading.ts'
import type { ServerCommand } from '../read/server-command.ts'
import type { Exchange } from './exchange.ts'
import { lackingVariables, unpacksSent } from './exchange-variables.ts'
import { vllmDeepEp } from './rules.ts'
import { readTrayNote } from './trays.ts'

interface Ranks {
  readonly spreads: boolean
  readonly tensor: number
  readonly data: number
}

interface Sent {
  readonly notes: readonly string[]
  /** Those of the notes for which the server surely does not start. */
  readonly refusals: readonly string[]
  readonly precision: Readonly<Record<string, string>>
}

export function sentBy(
  { backend, sends }: Exchange,
  { spreads, tensor, data }: Ranks,
  written: Pick<ServerCommand, 'variables' | 'starts'> & { readonly text: string },
  context: ReadingContext,
): Sent {
  if (!sends || !spreads || data === 1) return { notes: [], refusals: [], precision: {} }
  const stored = context.model?.storedBy
  const { notes, refusals } = lackingVariables(backend, { ...written, stored })
  const refused = compact(groupRefused(backend, tensor * data))
  return {
    notes: compact(notes, refused, readTrayNote(backend, tensor * data, written, context)),
    refusals: [...refusals, ...refused],
    precision: unpacksSent(backend, stored) ? { compute: usualType } : {},
  }
}

const kernels: Readonly<Record<string, SendingKernels>> = {
  deepep_high_throughput: 'many',
  deepep_low_latency: 'few',
}

function groupRefused(backend: string, ranks: number): string | null {
  const by = kernels[backend]
  const fault = by && groupFault(vllmDeepEp, by, ranks)
  return fault ? `--all2all-backend ${backend} does not run: DeepEP's ${fault}` : null
}
