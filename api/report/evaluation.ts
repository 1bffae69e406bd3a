/** Writes the account of one plan: what it takes, where its time and its memory go, and why. */
import { bytesText, percent, secondsText } from '../../src/plan/explain/figures.ts'
import type { ServePlan } from '../../src/plan/inference-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import type { PublishedRun } from '../../src/plan/regret.ts'
import { isInReadRequest, readRequestNote } from '../../src/validation/read-request.ts'
import { remedy } from '../../src/validation/remedy.ts'
import type { EvaluateBody } from '../worker/desk.ts'
import { plansCsv } from './plans.ts'
import { remedyText } from './remedies-text.ts'
import { sheetReport } from './sheet.ts'
import { table } from './table.ts'

type Shown = Pick<EvaluateBody, 'plan' | 'warnings'> & Partial<Pick<EvaluateBody, 'suggestions' | 'regret'>>

export const evaluationReport = sheetReport<EvaluateBody>(
  (body) => ({
    title: `shardplan: ${body.plan.summary}`,
    heads: ['', ''],
    rows: rowsOf(body),
    remarks: [],
  }),
  evaluationCsv,
)

/** What one layer computes, and the collectives of all layers, the longest first. */
export function explainedText({ plan }: Pick<EvaluateBody, 'plan'>, width?: number): string {
  if (!('generate' in plan)) return explained(plan, width)
  const { prefill, generate } = plan
  return `\nPrefill\n${explained(prefill, width)}\nGeneration\n${explained(generate, width)}`
}

function explained({ collectives, layout }: Plan, width?: number): string {
  const rows = [...collectives]
    .sort((a, b) => b.seconds - a.seconds)
    .map(({ op, over, array, pass, bytes, count, seconds, exposed }) => [
      ...[op, over, array, pass, `${count} x ${bytesText(bytes)}`, secondsText(seconds)],
      exposed ? 'waited for' : 'beside other work',
    ])
  const sent = rows.length > 0 ? ['', ...table(rows, width)] : []
  return `${[...sent, '', ...layout.algorithm].join('\n')}\n`
}

/** The same as a list that has this one plan. */
function evaluationCsv({ mode, plan }: Pick<EvaluateBody, 'mode' | 'plan'>): string {
  return plansCsv({ mode, plans: [plan] } as Parameters<typeof plansCsv>[0])
}

function rowsOf(body: Shown): readonly (readonly string[])[] {
  const { plan, suggestions = [], regret, warnings } = body
  return [
    ...('generate' in plan ? deploymentRows(plan) : planRows(plan)),
    ...(plan.infeasible ?? []).map(({ reason, detail }) => [`no ${reason}`, detail]),
    ...suggestions.map((one) => ['would do', remedyText(remedy(one))]),
    ...(suggestions.some(isInReadRequest) ? [['', readRequestNote]] : []),
    ...plan.explanation.map((sentence, at) => [at === 0 ? 'why' : '', sentence]),
    ...(regret ? [['regret', regretText(regret)]] : []),
    ...warnings.map((warning) => ['warning', warning]),
  ]
}

function deploymentRows(plan: ServePlan): readonly (readonly string[])[] {
  const figure = (value: number) => Number(value.toPrecision(3)).toString()
  const { maxSequences, stepTokens, requestsPerSecond, timeToFirstTokenSeconds, longestTokenSeconds } = plan
  const limits = `${maxSequences} sequences at once${stepTokens === null ? '' : `, ${stepTokens} tokens in a step`}`
  return [
    ['plan', plan.summary],
    ['sustains', `${figure(requestsPerSecond)} requests a second`],
    ['first token', secondsText(timeToFirstTokenSeconds)],
    ['each token', secondsText(plan.timePerOutputTokenSeconds)],
    ...(longestTokenSeconds === null ? [] : [['at the longest', secondsText(longestTokenSeconds)]]),
    ['request', secondsText(plan.requestSeconds)],
    ['tokens', `${figure(plan.tokensPerSecondPerChip)} a second and chip`],
    ['a server', limits],
    ...[plan.prefill, plan.generate].map(({ memoryBytes: { total, budget } }, at) => [
      at === 0 ? 'memory' : '',
      `${at === 0 ? 'prefill' : 'generation'} ${bytesText(total)} of ${bytesText(budget)}`,
    ]),
  ]
}

function planRows(plan: Plan): readonly (readonly string[])[] {
  const { communication, ...times } = plan.timeSeconds
  const { budget, total, stage, ...memory } = plan.memoryBytes
  const step = `${secondsText(plan.stepTimeSeconds)} (${secondsText(plan.lowerBoundSeconds)} to ${secondsText(plan.upperBoundSeconds)})`
  return [
    ['plan', plan.summary],
    ['step', step],
    ['MFU', percent(plan.mfu)],
    ['tokens', `${Number(plan.tokensPerSecondPerChip.toPrecision(3))} a second and chip`],
    ['bound by', [plan.bottleneck, plan.bottleneckDetail?.network].filter(Boolean).join(': ')],
    ['time', listed(times, secondsText)],
    ['moved', listed(communication, secondsText) || 'nothing'],
    ['memory', `${bytesText(total)} of ${bytesText(budget)}: ${listed(memory, bytesText)}`],
  ]
}

function regretText(regret: NonNullable<Shown['regret']>): string {
  const { savesFraction, best } = regret
  const does = 'stepTimeSeconds' in best ? secondsText(best.stepTimeSeconds) : `${best.chips} chips`
  const saves = `the best saves ${percent(savesFraction)}: ${best.summary}, ${does}`
  return 'published' in regret && regret.published ? `${saves}; ${publishedText(regret.published)}` : saves
}

function publishedText({ software, stepTimeSeconds, assumedOtherwise }: PublishedRun): string {
  const has = assumedOtherwise.length > 0 ? `, with ${assumedOtherwise.join(' and ')}` : ''
  return `but a published run that divides the model as this plan does was measured at ${secondsText(stepTimeSeconds)} (${software}${has})`
}

/** The largest first, without zeros. */
function listed(parts: Readonly<Record<string, number>>, text: (value: number) => string): string {
  return Object.entries(parts)
    .filter(([, value]) => value > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, value]) => `${name} ${text(value)}`)
    .join(', ')
}
