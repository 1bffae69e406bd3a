/** One plan's account: what it takes, where its time and its memory go, and why. */
import { bytesText, percent, secondsText } from '../../src/plan/explain/figures.ts'
import type { EvaluateBody } from '../worker/desk.ts'
import { table } from './table.ts'

export function evaluationText({ plan, suggestions = [], warnings }: EvaluateBody, width?: number): string {
  const { communication, ...times } = plan.timeSeconds
  const { budget, total, stage, ...memory } = plan.memoryBytes
  const step = `${secondsText(plan.stepTimeSeconds)} (${secondsText(plan.lowerBoundSeconds)} to ${secondsText(plan.upperBoundSeconds)})`
  const rows = [
    ['plan', plan.summary],
    ['step', step],
    ['MFU', percent(plan.mfu)],
    ['tokens', `${Number(plan.tokensPerSecondPerChip.toPrecision(3))} a second and chip`],
    ['bound by', [plan.bottleneck, plan.bottleneckDetail?.network].filter(Boolean).join(': ')],
    ['time', listed(times, secondsText)],
    ['moved', listed(communication, secondsText) || 'nothing'],
    ['memory', `${bytesText(total)} of ${bytesText(budget)}: ${listed(memory, bytesText)}`],
    ...(plan.infeasible ?? []).map(({ reason, detail }) => [`no ${reason}`, detail]),
    ...suggestions.map(({ change, pointer, value, detail }) => [
      'would do',
      `${change}: ${detail} (${pointer} ${JSON.stringify(value)})`,
    ]),
    ...plan.explanation.map((sentence, at) => [at === 0 ? 'why' : '', sentence]),
    ...warnings.map((warning) => ['warning', warning]),
  ]
  return `${table(rows, width).join('\n')}\n`
}

/** The largest first; what is nothing is left out. */
function listed(parts: Readonly<Record<string, number>>, text: (value: number) => string): string {
  return Object.entries(parts)
    .filter(([, value]) => value > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, value]) => `${name} ${text(value)}`)
    .join(', ')
}
