/** Everything that `npm run accuracy` finds: docs/accuracy.md shows it, and fixtures/accuracy.json records it. */
import { type Compared, configurations, groupedBy, isCompared, type Outcome } from './compared.ts'
import { inferenceOutcomes } from './inference/outcomes.ts'
import { type MemoryFigures, memoryFigures } from './memory/figures.ts'
import { type RankedGroup, rankedGroups, repeatedSpreads } from './ranking.ts'
import type { Coverage } from './residual-record.ts'
import { rounded, type Summary, summaries } from './summary.ts'
import { trainingOutcomes } from './training/outcomes.ts'
import { median } from './training/run.ts'

type Summaries = Readonly<Record<string, Summary>>

export interface RankingFigures {
  readonly groups: number
  readonly layouts: number
  readonly meanTau: number
  /** Over the groups that have layouts further apart than noise; null if none has. */
  readonly meanTauBeyondNoise: number | null
  readonly medianRegret: number
  readonly worstRegret: number
}

export interface RankedFigures {
  readonly what: string
  readonly layouts: number
  readonly spread: number
  readonly tau: number
  readonly tauBeyondNoise: number | null
  readonly regret: number
}

/** Layouts that were measured more than once under one release, and by how much those times differ. */
export interface RepeatFigures {
  readonly layouts: number
  readonly median: number
  readonly largest: number
}

export interface Report {
  readonly classes: Summaries
  readonly software: Summaries
  /** What `assumptions.stack` costs, by name, and the same runs as calibrated without. */
  readonly stacks: Summaries
  readonly withoutStacks: Summaries
  /** Training by class, as a request is answered that names no software. */
  readonly asAsked: Summaries
  readonly releases: Summaries
  readonly chips: Summaries
  readonly memory: MemoryFigures
  readonly ranking: Readonly<Record<string, RankingFigures>>
  /** The groups of training, one by one. */
  readonly rankedGroups: readonly RankedFigures[]
  readonly repeats: RepeatFigures
  /** Groups of releases since 2024 among those of training. */
  readonly modernGroups: number
  /** By mode, how many runs lie where the runs of other sources say (residual-record.ts). */
  readonly certainty: Readonly<Record<string, Coverage>>
  /** Configurations whose ratio is furthest from 1. */
  readonly worst: readonly WorstRow[]
  readonly compared: number
  /** Rows by why they are not. */
  readonly leftOut: Readonly<Record<string, number>>
}

export interface WorstRow {
  readonly id: string
  readonly split: string
  readonly what: string
  readonly ratio: number
}

export const classOf = ({ phase, kind, era }: Compared) =>
  `${phase}, ${kind === 'dense' ? 'dense' : 'experts'}, ${era}`

export function outcomes(): readonly Outcome[] {
  return [...trainingOutcomes(), ...inferenceOutcomes()]
}

/** Runs of training in other ways than their own. */
export interface Otherwise {
  readonly own: readonly Compared[]
  readonly bare: readonly Compared[]
  readonly asAsked: readonly Compared[]
}

export function report(
  all: readonly Outcome[],
  { own, bare, asAsked }: Otherwise,
  certainty: Report['certainty'],
): Report {
  const rows = all.filter(isCompared)
  const stackOf = ({ phase, kind, stack }: Compared) => `${phase}, ${kind}: ${stack}`
  const released = (row: Compared) => `${stackOf(row)} ${row.release}`
  const reasons = groupedBy(
    all.flatMap((row) => (isCompared(row) ? [] : [`${row.phase}: ${row.reason}`])),
    (reason) => reason,
  )
  const training = rows.filter(({ phase }) => phase === 'training')
  const groups = rankedGroups(training)
  const ofStack = ({ phase, kind, stack }: Compared) =>
    phase === 'training' ? `${kind}: ${stack}` : `${phase}, ${kind}: ${stack}`
  return {
    classes: summaries(rows, classOf),
    software: summaries(rows, stackOf),
    stacks: summaries(own, ofStack),
    withoutStacks: summaries(bare, ofStack),
    asAsked: summaries(asAsked, classOf),
    releases: summaries(training, released, released),
    chips: summaries(rows, (row) => `${row.phase}, ${row.kind}: ${row.chip}`),
    memory: memoryFigures(),
    ranking: {
      training: ranking(groups),
      ...Object.fromEntries(
        [...groupedBy(groups, ({ stack }) => stack)].map(([stack, own]) => [
          `training, ${stack}`,
          ranking(own),
        ]),
      ),
      inference: ranking(rankedGroups(rows.filter(({ phase }) => phase !== 'training'))),
    },
    rankedGroups: groups.map((group) => ({
      ...{ what: group.what, layouts: group.layouts, spread: rounded(group.spread), tau: rounded(group.tau) },
      tauBeyondNoise: group.tauBeyondNoise === null ? null : rounded(group.tauBeyondNoise),
      regret: rounded(group.regret),
    })),
    repeats: repeats(training.filter(({ kind }) => kind === 'dense')),
    modernGroups: groups.filter(({ era }) => era === 'modern').length,
    certainty,
    worst: worst(rows, 30),
    compared: rows.length,
    leftOut: Object.fromEntries([...reasons].sort().map(([reason, alike]) => [reason, alike.length])),
  }
}

function repeats(rows: readonly Compared[]): RepeatFigures {
  const spreads = repeatedSpreads(rows)
  return {
    layouts: spreads.length,
    median: rounded(median(spreads)),
    largest: rounded(Math.max(...spreads)),
  }
}

function ranking(groups: readonly RankedGroup[]): RankingFigures {
  const regrets = groups.map(({ regret }) => regret)
  const beyond = groups.flatMap(({ tauBeyondNoise: tau }) => (tau === null ? [] : [tau]))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    groups: groups.length,
    layouts: groups.reduce((sum, { layouts }) => sum + layouts, 0),
    meanTau: rounded(mean(groups.map(({ tau }) => tau))),
    meanTauBeyondNoise: beyond.length > 0 ? rounded(mean(beyond)) : null,
    medianRegret: rounded(median(regrets)),
    worstRegret: rounded(Math.max(...regrets)),
  }
}

function worst(rows: readonly Compared[], count: number): readonly WorstRow[] {
  const off = ({ predicted, measured }: Compared) => Math.abs(Math.log(predicted / measured))
  return [...configurations(rows)]
    .sort((a, b) => off(b) - off(a))
    .slice(0, count)
    .map((row) => ({
      ...{ id: row.id, split: row.split, what: `${classOf(row)}, ${row.stack}, ${row.chip}` },
      ratio: rounded(row.predicted / row.measured),
    }))
}
