/** Writes docs/accuracy.md from a report. */

import { readFileSync } from 'node:fs'
import { type Standing, standings } from './goals.ts'
import { noise } from './ranking.ts'
import type { Report } from './report.ts'
import { enough, telling } from './residual-record.ts'
import type { Summary } from './summary.ts'

const verdicts: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../../fixtures/measurements/verdicts.json', import.meta.url), 'utf8'),
)

export const figures = [
  { file: 'training.svg', title: 'Training: predicted over measured step time' },
  { file: 'inference.svg', title: 'Inference: predicted over measured time' },
] as const

export function page(report: Report): string {
  const { memory, ranking } = report
  return `# How far off

Predicted against measured times, for every published measurement at hand that can be compared. \`npm run accuracy -- --record\` writes
this page and keeps the numbers in \`fixtures/accuracy.json\`. \`npm run accuracy\` fails where they have grown worse.

The rows are in \`fixtures/measurements\`, each with its source and the settings that it was run with. What a row does not say is taken from
the recipe of its software ([README](../fixtures/measurements/README.md)).

| word | means |
|---|---|
| *fit*, *test* | constants were set on fit rows alone; test rows only report an error |
| *modern*, *older* | releases since 2024, and before |
| *n*, *measurements* | configurations, and measurements of them: one that was measured several times counts once |
| *median* | of predicted over measured time |
| *bias* | the geometric mean of these ratios, less 1 |
| *within bounds* | the share of measured times that lie between a plan's \`lowerBoundSeconds\` and \`upperBoundSeconds\`, which hold where nine of ten runs of its regime lay |

${figures.map(({ file, title }) => `![${title}](figures/${file})`).join('\n\n')}

Training is costed as its own software runs, if there is a stack of that software on these chips (below), with layers of experts run as the
recipe of that release runs them. Otherwise it is costed like a request that names no software. Inference is costed as its own software runs
too, or without constants of any one software if there is no stack.

## By class

${table(report.classes)}

The same training rows, costed like a request that names no software: by the usual stack of the chips, with experts run as its newest recipes
run them, whatever really ran.

${table(report.asAsked)}

## Goals

What test rows are meant to reach, where they do, and which datum would settle the rest. Goals and reasons are written by hand
(\`fixtures/measurements/goals.json\`).

| | goal | reached | what is left |
|---|---|---|---|
${standings(report).map(goalLine).join('\n')}

## As \`assumptions.stack\` costs it

A stack is a file of \`fixtures/stacks\` (\`GET /stacks\`): the few constants by which software that trains or serves differs from other
software. \`npm run fit\` sets them on \`fit\` rows. Models with experts are listed by how their layers were run
(\`assumptions.expertRecipe\`).

${table(report.stacks)}

The same runs without a stack:

${table(report.withoutStacks)}

## Order of layouts

Does shardplan put layouts in the order in which they ran? A group has runs of one model, chips, batch, element types and release of the
software, with several layouts. *Tau* is Kendall's, between predicted and measured times. *Regret* is how much longer the layout that is predicted
to be the fastest took than the one that was. *Tau beyond noise* is tau-b with measured times that differ by at most ${percent(noise)} as ties, over
the groups that have others. (With ties it is below 1 even where all others are in order.)

| | groups | layouts | mean tau | mean tau beyond noise | median regret | worst regret |
|---|---|---|---|---|---|---|
${Object.entries(ranking)
  .map(
    ([name, figures]) =>
      `| ${name} | ${figures.groups} | ${figures.layouts} | ${figures.meanTau.toFixed(2)} | ${optional(figures.meanTauBeyondNoise)} | ${percent(figures.medianRegret)} | ${percent(figures.worstRegret)} |`,
  )
  .join('\n')}

The groups of training one by one. *Slowest* is how much longer the slowest layout took than the fastest.

| | layouts | slowest | tau | beyond noise | regret |
|---|---|---|---|---|---|
${report.rankedGroups
  .map(
    ({ what, layouts, spread, tau, tauBeyondNoise, regret }) =>
      `| ${what} | ${layouts} | ${percent(spread)} | ${tau.toFixed(2)} | ${optional(tauBeyondNoise)} | ${percent(regret)} |`,
  )
  .join('\n')}

${
  report.modernGroups === 0
    ? 'None of them ran with a release since 2024: recipes have one layout each.'
    : `${report.modernGroups} of the groups ran with releases since 2024.`
}
${report.repeats.layouts} layouts were measured more than once under one release. Their times differ by ${percent(report.repeats.median)} (median) and by at most
${percent(report.repeats.largest)}. Layouts that are closer to each other than that have no order that one could tell.

## How sure an answer is

\`uncertainty\` of a plan says where measured runs lay (\`fixtures/residuals.json\`, made from \`test\` rows alone). This table checks those bands:

* Rows of one source are alike. So each source is left out in turn, and its runs are compared with the band that the other sources give, in
  the narrowest regime that has ${enough} configurations of theirs. Of a source without which fewer are left, its releases count as
  sources. Answers are for releases since 2024, so older runs are held to their bands too.
* Training is predicted twice: as the software of the run ran it, and as a request is answered that names no software. Each has bands of its own.
* Bands are then widened: quantiles are raised to the least power at which nine of ten runs of each class that a regime covers lie inside the outer band
  (5 to 95 %) and eight of ten inside the inner one (10 to 90 %). *Widened by* has the two powers. Classes of releases since 2024 count, and
  older ones where there are no others. Of a kind of model with fewer than ${telling} runs in a mode, all runs of the mode count together, so that fewer
  of its own may lie inside.
* *Ratio of ends* is the upper over the lower end of the outer band, for the median run. It is shown because a band that is wide enough holds
  anything.

| | n | sources | widened by | inside nine of ten | inside eight of ten | ratio of ends |
|---|---|---|---|---|---|---|
${Object.entries(report.certainty)
  .map(
    ([mode, own]) =>
      `| ${mode} | ${own.configurations} | ${own.sources} | ${own.widened.nineOfTen}, ${own.widened.eightOfTen} | ${percent(own.insideNineOfTen)} | ${percent(own.insideEightOfTen)} | ${own.ratioOfEnds.toFixed(2)} |`,
  )
  .join('\n')}

## Memory

| | rows | median | median error | nine of ten within |
|---|---|---|---|---|
${Object.entries(memory.ratios)
  .map(
    ([name, figures]) =>
      `| ${name} | ${figures.rows} | ${figures.median.toFixed(2)} | ${percent(figures.medianError)} | ${percent(figures.ninetiethError)} |`,
  )
  .join('\n')}

Ratios are predicted over measured memory. *Tensors alone* is the most that tensors took at once, as PyTorch's allocator counts them, and the
prediction is the arrays of the stage that was measured. Other figures of training are the driver's, or what the allocator had taken from it, and
the prediction includes the margin, which is for what is held beside tensors. For serving it has the arrays alone,
without what a process takes beside them (2 to 3 GB for FasterTransformer).

Of ${memory.ran.of} runs that ran and had their memory measured, ${memory.ran.fit} are predicted to fit. Of ${memory.ranOut.of} that ran out of memory, ${memory.ranOut.fit} are predicted to fit.

Of ${memory.timed.of} runs of training with a time, which ran and so fitted, ${memory.timed.fit} are predicted to fit, or to need at most 2 % more than the budget. The others:

| run | predicted over the budget | what has no place in the cost model |
|---|---|---|
${memory.timed.beyond
  .map(({ what, share, unmodelled }) => `| ${what} | ${share.toFixed(2)} | ${unmodelled ?? ''} |`)
  .join('\n')}

## By software

${table(report.software)}

## Training by release

${table(report.releases)}

## By chip

${table(report.chips)}

## Furthest off

Each verdict says whether the model is presumed to be off, or the setting of the run as far as its source tells it. Verdicts are written by hand
(\`fixtures/measurements/verdicts.json\`), without a profile of the run.

| | split | what | predicted over measured | verdict |
|---|---|---|---|---|
${report.worst.map(({ id, split, what, ratio }) => `| ${id} | ${split} | ${what} | ${ratio.toFixed(2)} | ${verdicts[id] ?? ''} |`).join('\n')}

## Left out

${report.compared} measurements are compared. The others are not, for these reasons:

| | rows |
|---|---|
${Object.entries(report.leftOut)
  .map(([reason, rows]) => `| ${reason} | ${rows} |`)
  .join('\n')}
`
}

function table(summaries: Readonly<Record<string, Summary>>): string {
  const line = ([name, own]: [string, Summary]) =>
    [
      ...['', name, own.configurations, own.measurements, own.median.toFixed(2), percent(own.bias)],
      ...[percent(own.medianError), percent(own.ninetiethError)],
      ...[own.withinBounds === null ? '' : percent(own.withinBounds), ''],
    ]
      .join(' | ')
      .trim()
  return [
    '| | n | measurements | median | bias | median error | nine of ten within | within bounds |',
    '|---|---|---|---|---|---|---|---|',
    ...Object.entries(summaries).map(line),
  ].join('\n')
}

function goalLine({ what, figures, left }: Standing): string {
  const shown = (name: string, value: number) =>
    `${name} ${name === 'mean tau' ? value.toFixed(2) : `${(100 * value).toFixed(1)} %`}`
  const aims = figures.map(({ name, goal }) => shown(name, goal))
  const reached = figures.map(({ name, reached, met }) =>
    met ? shown(name, reached) : `**${shown(name, reached)}**`,
  )
  return ['', what, aims.join(', '), reached.join(', '), left, ''].join(' | ').trim()
}

const optional = (tau: number | null) => tau?.toFixed(2) ?? ''

export const percent = (share: number) => `${Math.round(100 * share)} %`
