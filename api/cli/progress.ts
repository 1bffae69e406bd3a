/**
 * Shows on a terminal that a search goes on, once it has taken a second, and clears the line when it ends. A search on
 * this thread leaves no room for a timer: it reports where it tests whether its time is up.
 */
export interface Progress {
  readonly tick: () => void
  readonly end: () => void
}

/** Called at the start of each search. */
export type Begin = () => Progress

export const silent: Begin = () => ({ tick: () => {}, end: () => {} })

const [afterMs, everyMs] = [1000, 200]

export function telling(write: (text: string) => void, clock: () => number): Begin {
  return () => {
    const start = clock()
    let next = start + afterMs
    let told = false
    return {
      tick: () => {
        const now = clock()
        if (now < next) return
        next = now + everyMs
        told = true
        write(`\rsearching for ${((now - start) / 1000).toFixed(1)} s`)
      },
      // Clears the line for what comes next.
      end: () => {
        if (told) write('\r\u001b[K')
      },
    }
  }
}

/** For a search elsewhere, which a timer reports. */
export async function whileTelling<Answer>(begin: Begin, search: () => Promise<Answer>): Promise<Answer> {
  const { tick, end } = begin()
  const timer = setInterval(tick, everyMs)
  try {
    return await search()
  } finally {
    clearInterval(timer)
    end()
  }
}
