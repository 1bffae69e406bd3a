/** Plans side by side in a table: one row per quantity, one column per plan, and why they differ. */
import { timeLines } from '../../src/plan/comparison.ts'
import { secondsText } from '../../src/plan/explain/figures.ts'
import type { CompareBody } from '../schemas/compare.ts'
import { type Column, cost, deployment, memory, mfu, numbered, step, summary, throughput } from './columns.ts'
import { csv } from './csv.ts'
import type { PageReport } from './report.ts'
import { sheetReport } from './sheet.ts'
import { table } from './table.ts'

type Steps = Extract<CompareBody, { readonly mode: 'train' | 'prefill' | 'generate' }>
type Deployments = Extract<CompareBody, { readonly mode: 'serve' }>
type Shown<Body extends CompareBody> = NonNullable<Body['variants'][number]['plan']>

const feasible = (head: string): Column<Shown<CompareBody>> => ({
  head,
  name: 'feasible',
  value: ({ feasible }) => String(feasible),
  text: ({ feasible }) => (feasible ? 'yes' : 'no'),
})

const stepRows: readonly Column<Shown<Steps>>[] = [
  summary,
  step,
  ...timeLines.map((line) => ({
    head: `  ${line}`,
    name: `timeSeconds.${line}`,
    value: (plan: Shown<Steps>) => plan.timeSeconds[line],
    text: (plan: Shown<Steps>) => secondsText(plan.timeSeconds[line]),
  })),
  mfu,
  throughput,
  { ...memory, name: 'memoryBytes.total' },
  cost,
  {
    head: 'bound by',
    name: 'bottleneck',
    value: ({ bottleneck }) => bottleneck,
    text: ({ bottleneck, bottleneckDetail }) =>
      [bottleneck, bottleneckDetail?.network].filter(Boolean).join(': '),
  },
  feasible('fits'),
]

const deploymentRows: readonly Column<Shown<Deployments>>[] = [
  summary,
  ...deployment,
  numbered('request', 'requestSeconds', secondsText),
  throughput,
  cost,
  feasible('does'),
]

/** Each row can show every plan of its mode. */
function rowsOf({ mode }: CompareBody): readonly Column<Shown<CompareBody>>[] {
  return (mode === 'serve' ? deploymentRows : stepRows) as readonly Column<Shown<CompareBody>>[]
}

const sheets = sheetReport<CompareBody>(
  (body) => ({
    title: 'shardplan: side by side',
    heads: ['', ...body.variants.map(({ name }) => name)],
    rows: linesOf(body).map(([head = '', ...cells]) => [head.trim(), ...cells]),
    remarks: remarks(body),
  }),
  comparisonCsv,
)

export const comparisonReport: PageReport<CompareBody> = { ...sheets, text: comparisonText }

/** A line for each quantity: its head, and what each variant has. */
function linesOf(body: CompareBody): readonly (readonly string[])[] {
  return rowsOf(body).map(({ head, text }) => [
    head,
    ...body.variants.map(({ plan }) => (plan ? text(plan) : '-')),
  ])
}

function comparisonText(body: CompareBody, width?: number): string {
  const { variants } = body
  const names = variants.map(({ name }) => name)
  // Summaries are too long for a column of the table.
  const summaries = variants.map(({ name, plan, best }) => [
    name,
    `${plan?.summary ?? 'no plan'}${best ? ' (the best)' : ''}`,
  ])
  const [, ...lines] = linesOf(body)
  return `${[...table(summaries, width), '', ...table([['', ...names], ...lines], width), '', ...remarks(body)].join('\n')}\n`
}

/** One line per variant. */
function comparisonCsv(body: CompareBody): string {
  const { variants } = body
  const rows = rowsOf(body)
  const heads = ['name', ...rows.map(({ name }) => name)]
  const lines = variants.map(({ name, plan }) => [
    name,
    ...rows.map(({ value }) => (plan ? value(plan) : null)),
  ])
  return csv([heads, ...lines])
}

function remarks({ variants, warnings: shared }: CompareBody): readonly string[] {
  const own = variants.flatMap(({ name, noPlan, difference, warnings }) => [
    ...noPlan.map((reason) => `${name}: no plan, ${reason}.`),
    ...(difference?.explanation ?? []),
    ...warnings.map((warning) => `${name}: ${warning}`),
  ])
  return [...own, ...shared.map((warning) => `all: ${warning}`)]
}
