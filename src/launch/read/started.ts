/** Servers that a manifest starts beside the command that each runs. */
import { compact } from '../../compact.ts'
import { counted } from '../../plan/explain/figures.ts'

export interface Started {
  /** How many; undefined if it does not say, or if they are scaled. */
  readonly servers: number | undefined
  /** GPUs of the pods of one; undefined if it does not say. */
  readonly gpus: number | undefined
}

/** GPUs of all servers, each of so many; null if nothing says how many servers there are. */
export function startedChips({ servers, gpus }: Started, server: number): number | null {
  return servers === undefined ? null : servers * Math.max(server, gpus ?? server)
}

/** What pods have beyond what their server takes. */
export function idlePods({ gpus }: Started, server: number): string | null {
  if (gpus === undefined || gpus <= server) return null
  return `the pods of a server have ${gpus} GPUs, of which it takes ${server}: the others stay idle`
}

/** The fault of fewer chips than a manifest's servers take, and the note on more. */
export function heldTo(started: Started, server: number, chips: number | null) {
  const all = startedChips(started, server)
  const { servers = 0 } = started
  if (all === null || chips === null || all === chips) return { notes: [], faults: [] }
  const says = `the manifest starts ${counted(servers, 'server')} (replicas) of ${all / servers} GPUs, ${all} in all`
  return {
    notes: compact(chips > all && `${says}: of the ${chips} chips the others stay idle`),
    faults: compact(
      chips < all &&
        `${says}, and there are ${chips}: the nearest are /hardware/chips ${all} and replicas ${Math.floor((chips * servers) / all)}`,
    ),
  }
}
