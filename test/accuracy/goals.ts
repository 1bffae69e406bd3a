/** What predictions are meant to reach, and why they do not where they do not (fixtures/measurements/goals.json). */
import { readFileSync } from 'node:fs'
import type { Report } from './report.ts'

type Part = 'classes' | 'ranking' | 'memory'

interface Goal {
  readonly what: string
  /** By what is aimed at: the figure of a report, and what it should be. */
  readonly figures: Readonly<Record<string, readonly [part: Part, of: string, figure: string, goal: number]>>
  /** Why a figure is short of its goal, and which datum would settle it; empty where none is. */
  readonly left: string
}

export interface Standing {
  readonly what: string
  readonly figures: readonly {
    readonly name: string
    readonly goal: number
    readonly reached: number
    readonly met: boolean
  }[]
  readonly left: string
}

const goals: readonly Goal[] = JSON.parse(
  readFileSync(new URL('../../fixtures/measurements/goals.json', import.meta.url), 'utf8'),
)

/** Of the order of layouts more is better; of errors and regrets less is. */
const wantsMore = (name: string) => name === 'mean tau'

export function standings({ classes, ranking, memory }: Report): readonly Standing[] {
  const parts: Readonly<Record<Part, Readonly<Record<string, object | undefined>>>> = {
    classes,
    ranking,
    memory: memory.ratios,
  }
  return goals.map(({ what, figures, left }) => ({
    what,
    figures: Object.entries(figures).map(([name, [part, of, figure, goal]]) => {
      const reached: unknown = Object.entries(parts[part][of] ?? {}).find(([own]) => own === figure)?.[1]
      if (typeof reached !== 'number') throw new RangeError(`A report has no ${figure} of ${of}`)
      return { name, goal, reached, met: wantsMore(name) ? reached >= goal : reached <= goal }
    }),
    left,
  }))
}
