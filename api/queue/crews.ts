/**
 * Idle threads help with a search in progress (worker/crew.ts). New searches do not wait for them: helpers are told to
 * leave, which they do before their next layout.
 */
import { type CrewMemory, disband } from '../worker/crew.ts'
import { askToStop, createFlags, type Errand } from '../worker/errand.ts'

export interface Crews {
  /** Sends one more thread to help with an errand. */
  readonly help: (errand: Omit<Helped, 'flags'>) => void
  /** Threads that help, or are about to leave. */
  readonly helpers: () => number
  /** Lets at most this many stay. */
  readonly leave: (most: number) => void
  /** Dismisses all helpers of a search that is done. */
  readonly end: (crew: CrewMemory) => void
}

type Helped = Errand<unknown> & { readonly crew: CrewMemory }

interface Helper {
  readonly crew: CrewMemory
  readonly dismiss: () => void
}

export function createCrews(
  send: (errand: Helped, signal: AbortSignal) => Promise<unknown>,
  { graceMs, onError }: { readonly graceMs: number; readonly onError: (error: unknown) => void },
): Crews {
  const staying = new Set<Helper>()
  const leaving = new Set<Helper>()

  function help(errand: Omit<Helped, 'flags'>): void {
    const { crew } = errand
    const flags = createFlags()
    const thread = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const helper: Helper = {
      crew,
      dismiss: () => {
        staying.delete(helper)
        leaving.add(helper)
        askToStop(flags)
        timer = setTimeout(() => thread.abort(), graceMs)
      },
    }
    staying.add(helper)
    send({ ...errand, flags }, thread.signal)
      .catch((error: unknown) => {
        // A helper that failed no longer does what it had taken on.
        disband(crew)
        if (!thread.signal.aborted) onError(error)
      })
      .finally(() => {
        clearTimeout(timer)
        staying.delete(helper)
        leaving.delete(helper)
      })
  }

  const dismiss = (some: readonly Helper[]) => {
    for (const helper of some) helper.dismiss()
  }

  return {
    help,
    helpers: () => staying.size + leaving.size,
    leave: (most) => dismiss([...staying].slice(Math.max(0, most))),
    end: (crew) => dismiss([...staying].filter((helper) => helper.crew === crew)),
  }
}
