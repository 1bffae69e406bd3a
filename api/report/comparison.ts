/** Plans side by side as a table: a row for each thing, a column for each plan, and why they differ. */
import { timeLines } from '../../src/plan/comparison.ts'
import { bytesText, percent, secondsText } from '../../src/plan/explain/figures.ts'
import type { CompareBody } from '../schemas/compare.ts'
import { csv } from './csv.ts'
import { page } from './html.ts'
import { cell, markdownTable } from './markdown-table.ts'
import { table } from './table.ts'

type Steps = Extract<CompareBody, { readonly mode: 'train' | 'prefill' | 'generate' }>
type Deployments = Extract<CompareBody, { readonly mode: 'serve' }>
type Shown<Body extends CompareBody> = NonNullable<Body['variants'][number]['plan']>

interface Row<Plan> {
  readonly head: string
  /** On the wire, with its unit. */
  readonly name: string
  readonly value: (plan: Plan) => string | number | null
  readonly text: (plan: Plan) => string
}

const significant = (value: number) => Number(value.toPrecision(3)).toString()

const stepRows: readonly Row<Shown<Steps>>[] = [
  { head: 'plan', name: 'summary', value: ({ summary }) => summary, text: ({ summary }) => summary },
  {
    head: 'step',
    name: 'stepTimeSeconds',
    value: (plan) => plan.stepTimeSeconds,
    text: (plan) => secondsText(plan.stepTimeSeconds),
  },
  ...timeLines.map((line) => ({
    head: `  ${line}`,
    name: `timeSeconds.${line}`,
    value: (plan: Shown<Steps>) => plan.timeSeconds[line],
    text: (plan: Shown<Steps>) => secondsText(plan.timeSeconds[line]),
  })),
  { head: 'MFU', name: 'mfu', value: ({ mfu }) => mfu, text: ({ mfu }) => percent(mfu) },
  {
    head: 'tok/s/chip',
    name: 'tokensPerSecondPerChip',
    value: (plan) => plan.tokensPerSecondPerChip,
    text: (plan) => significant(plan.tokensPerSecondPerChip),
  },
  {
    head: 'memory',
    name: 'memoryBytes.total',
    value: ({ memoryBytes }) => memoryBytes.total,
    text: ({ memoryBytes: { total, budget } }) => `${bytesText(total)} of ${bytesText(budget)}`,
  },
  {
    head: '$/Mtok',
    name: 'costPerMillionTokensUsd',
    value: (plan) => plan.costPerMillionTokensUsd,
    text: ({ costPerMillionTokensUsd: cost }) => (cost === null ? '-' : cost.toPrecision(3)),
  },
  {
    head: 'bound by',
    name: 'bottleneck',
    value: ({ bottleneck }) => bottleneck,
    text: ({ bottleneck, bottleneckDetail }) =>
      [bottleneck, bottleneckDetail?.network].filter(Boolean).join(': '),
  },
  {
    head: 'fits',
    name: 'feasible',
    value: ({ feasible }) => String(feasible),
    text: ({ feasible }) => (feasible ? 'yes' : 'no'),
  },
]

const deploymentRows: readonly Row<Shown<Deployments>>[] = [
  { head: 'plan', name: 'summary', value: ({ summary }) => summary, text: ({ summary }) => summary },
  { head: 'chips', name: 'chips', value: ({ chips }) => chips, text: ({ chips }) => String(chips) },
  {
    head: 'req/s',
    name: 'requestsPerSecond',
    value: (plan) => plan.requestsPerSecond,
    text: (plan) => significant(plan.requestsPerSecond),
  },
  ...(
    [
      ['TTFT', 'timeToFirstTokenSeconds'],
      ['TPOT', 'timePerOutputTokenSeconds'],
      ['request', 'requestSeconds'],
    ] as const
  ).map(([head, name]) => ({
    head,
    name,
    value: (plan: Shown<Deployments>) => plan[name],
    text: (plan: Shown<Deployments>) => secondsText(plan[name]),
  })),
  {
    head: 'tok/s/chip',
    name: 'tokensPerSecondPerChip',
    value: (plan) => plan.tokensPerSecondPerChip,
    text: (plan) => significant(plan.tokensPerSecondPerChip),
  },
  {
    head: '$/Mtok',
    name: 'costPerMillionTokensUsd',
    value: (plan) => plan.costPerMillionTokensUsd,
    text: ({ costPerMillionTokensUsd: cost }) => (cost === null ? '-' : cost.toPrecision(3)),
  },
  {
    head: 'does',
    name: 'feasible',
    value: ({ feasible }) => String(feasible),
    text: ({ feasible }) => (feasible ? 'yes' : 'no'),
  },
]

/** Each of the rows shows every plan of the mode. */
function rowsOf({ mode }: CompareBody): readonly Row<Shown<CompareBody>>[] {
  return (mode === 'serve' ? deploymentRows : stepRows) as readonly Row<Shown<CompareBody>>[]
}

export function comparisonText(body: CompareBody, width?: number): string {
  const { variants } = body
  const names = variants.map(({ name }) => name)
  // A summary is longer than a column.
  const summaries = variants.map(({ name, plan, best }) => [
    name,
    `${plan?.summary ?? 'no plan'}${best ? ' (the best)' : ''}`,
  ])
  const lines = rowsOf(body)
    .slice(1)
    .map(({ head, text }) => [head, ...variants.map(({ plan }) => (plan ? text(plan) : '-'))])
  return `${[...table(summaries, width), '', ...table([['', ...names], ...lines], width), '', ...remarks({ variants })].join('\n')}\n`
}

export function comparisonMarkdown(body: CompareBody): string {
  const { variants } = body
  const lines = rowsOf(body).map(({ head, text }) => [
    head.trim(),
    ...variants.map(({ plan }) => cell(plan ? text(plan) : '-')),
  ])
  const heads = ['', ...variants.map(({ name }) => cell(name))]
  return `${[markdownTable(heads, lines), ...remarks({ variants }).map((line) => `- ${line}`)].join('\n\n')}\n`
}

export function comparisonHtml(body: CompareBody): string {
  const { variants } = body
  const lines = rowsOf(body).map(({ head, text }) => [
    head.trim(),
    ...variants.map(({ plan }) => (plan ? text(plan) : '-')),
  ])
  const heads = ['', ...variants.map(({ name }) => name)]
  return page('shardplan: side by side', [{ heads, rows: lines, remarks: remarks({ variants }) }])
}

/** A line for each variant. */
export function comparisonCsv(body: CompareBody): string {
  const { variants } = body
  const rows = rowsOf(body)
  const heads = ['name', ...rows.map(({ name }) => name)]
  const lines = variants.map(({ name, plan }) => [
    name,
    ...rows.map(({ value }) => (plan ? value(plan) : null)),
  ])
  return csv([heads, ...lines])
}

function remarks({ variants }: Pick<CompareBody, 'variants'>): readonly string[] {
  return variants.flatMap(({ name, noPlan, difference, warnings }) => [
    ...noPlan.map((reason) => `${name}: no plan, ${reason}.`),
    ...(difference?.explanation ?? []),
    ...warnings.map((warning) => `${name}: ${warning}`),
  ])
}
