/** docs/accuracy.md, from a report. */

import { readFileSync } from 'node:fs'
import { enough } from '../../src/plan/certainty/residuals.ts'
import type { Report } from './report.ts'
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

Written by \`npm run accuracy -- --record\`; the numbers are kept in \`fixtures/accuracy.json\`, and \`npm run accuracy\` fails where they have
grown worse. The rows are in \`fixtures/measurements\`, each with its source, at the settings that it was run with; what a row does not say is what the
recipe of its software has ([README](../fixtures/measurements/README.md)). Every ratio is predicted over measured time. Constants were set on rows marked
\`fit\` alone; \`test\` rows only ever report. A configuration that was measured several times counts once. *Modern* are releases since 2024. *Bias* is
the geometric mean less 1, *within bounds* the share that lies between a plan's \`lowerBoundSeconds\` and \`upperBoundSeconds\`.

${figures.map(({ file, title }) => `![${title}](figures/${file})`).join('\n\n')}

Training is costed as its own software runs, where there is a stack of it on these chips (below), and layers with experts in the way that the recipe of that release
runs them; else as a request is that names no software. Inference is costed so too, without constants of any one software where it has no stack.

## By class

${table(report.classes)}

Training as a request is answered that names no software: as the usual stack of the chips, with the experts run as its newest recipes run them, whatever ran.

${table(report.asAsked)}

## As \`assumptions.stack\` costs it

Stacks are rows of \`fixtures/stacks\` (\`GET /stacks\`): the few constants in which what trains or serves differs, set on \`fit\` rows by \`npm run fit\`.
Of models with experts, by how their layers were run (\`assumptions.expertRecipe\`).

${table(report.stacks)}

The same runs without a stack:

${table(report.withoutStacks)}

## Order of layouts

Groups of one model, chips, batch, element types and release of the software that were run with several layouts: Kendall's tau between predicted and measured times, and by how
much the layout predicted to be the fastest was slower than the fastest.

| | groups | layouts | mean tau | median regret | worst regret |
|---|---|---|---|---|---|
${Object.entries(ranking)
  .map(
    ([name, figures]) =>
      `| ${name} | ${figures.groups} | ${figures.layouts} | ${figures.meanTau.toFixed(2)} | ${percent(figures.medianRegret)} | ${percent(figures.worstRegret)} |`,
  )
  .join('\n')}

${report.modernGroups === 0 ? 'Of releases since 2024' : `Of releases since 2024 there are ${report.modernGroups} groups; of others`} ${report.modernGroups === 0 ? 'nobody has published two layouts of one question: their recipes have one each.' : 'the rest.'}
${report.repeats.layouts} layouts were measured more than once under one release: their times differ by ${percent(report.repeats.median)} in the middle and ${percent(report.repeats.largest)} at most. Layouts that are nearer to each other
than that have no order that could be told.

## How sure an answer is

Where measured runs lay is what \`uncertainty\` of a plan says (\`fixtures/residuals.json\`, of \`test\` rows alone). Rows of one source are alike, so that each source is left out in
turn and its runs are held against what the other sources say, in the narrowest regime that has ${enough} configurations of theirs. Quantiles are
drawn apart by powers, the least at which nine of ten lie inside of the outer band (5 to 95 %) and eight of ten of the inner (10 to 90 %). The
*ratio of ends* is the upper over the lower end of nine of ten, of the middle run: bands that are wide enough hold anything.

| | n | sources | drawn apart by | inside nine of ten | inside eight of ten | ratio of ends | within bounds of overlap |
|---|---|---|---|---|---|---|---|
${Object.entries(report.certainty)
  .map(
    ([mode, own]) =>
      `| ${mode} | ${own.configurations} | ${own.sources} | ${own.widened.nineOfTen}, ${own.widened.eightOfTen} | ${percent(own.insideNineOfTen)} | ${percent(own.insideEightOfTen)} | ${own.ratioOfEnds.toFixed(2)} | ${own.withinBounds === null ? '' : percent(own.withinBounds)} |`,
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

Training with the margin that stays free, serving the arrays alone: what a process takes beside them (2 to 3 GB of FasterTransformer) is not in it.

Of ${memory.ran.of} runs that ran and had their memory measured ${memory.ran.fit} are predicted to fit; of ${memory.ranOut.of} that ran out of memory ${memory.ranOut.fit} are.

## By software

${table(report.software)}

## By release, of training

${table(report.releases)}

## By chip

${table(report.chips)}

## Furthest off

Off is the model, the setting of the run as far as it is told, or the hardware. Verdicts are written by hand (fixtures/measurements/verdicts.json) and are what is
presumed without a profile of the run.

| | split | what | predicted over measured | verdict |
|---|---|---|---|---|
${report.worst.map(({ id, split, what, ratio }) => `| ${id} | ${split} | ${what} | ${ratio.toFixed(2)} | ${verdicts[id] ?? ''} |`).join('\n')}

## Left out

${report.compared} measurements are compared. The others, and why not:

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

const percent = (share: number) => `${Math.round(100 * share)} %`
