/**
 * That a search goes on, told on a terminal once it has taken a second, and gone when it ends. A search in this very thread leaves no
 * room for a timer: it tells of itself where it asks whether its time is over.
 */
export interface Progress {
  readonly tick: () => void
  readonly end: () => void
}

/** Begins with each search. */
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
      // The line is left empty for what comes after it.
      end: () => {
        if (told) write('\r\u001b[K')
      },
    }
  }
}

/** Of a search elsewhere, for which a timer asks. */
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
