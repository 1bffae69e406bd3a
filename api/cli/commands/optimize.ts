/** `shardplan optimize`: ranks the best plans. */
import { evaluationText, explainedText } from '../../report/evaluation.ts'
import { plansCsv, plansHtml, plansMarkdown, plansText } from '../../report/plans.ts'
import type { EvaluateBody, OptimizeBody } from '../../worker/desk.ts'
import { exitCodes } from '../exit-code.ts'
import { type Formats, json, written, yaml } from '../formats.ts'
import { asking, type Desk, examples, type Options, questionOf, withRequest } from './asking.ts'

const formats: Formats<OptimizeBody> = {
  text: plansText,
  json,
  yaml,
  markdown: plansMarkdown,
  csv: plansCsv,
  html: plansHtml,
}

export function optimize(desk: Desk): void {
  const { world, endsWith } = desk
  const says = 'find the best plans, ranked'
  withRequest(asking(desk, { name: 'optimize', alias: 'plan', says, formats, files: '[file]' }))
    .option('--explain', 'also say where the time and memory of the first plan go, and why')
    .addHelpText(
      'after',
      examples(
        'optimize --model llama-3-70b --chip h100-sxm --chips 64 --batch 4M --seq 8k',
        'plan request.yaml --format csv',
      ),
    )
    .action(async (file: string | undefined, options: Options) => {
      const { body } = questionOf(world, file, options)
      const answer = await (await world.asker(options.server)).optimize(body)
      world.out(written(formats, options.format)(answer, world.width))
      if (options.explain && options.format === 'text') world.out(explained(answer, world.width))
      if (answer.plans.length === 0) endsWith(exitCodes.infeasible)
    })
}

/** The account of the first plan; for a deployment its explanation. */
function explained({ mode, plans: [first] }: OptimizeBody, width: number | undefined): string {
  if (!first) return ''
  if (mode === 'serve') return `\n${first.explanation.map((line) => `${line}\n`).join('')}`
  const body = { plan: first, warnings: [] } as unknown as EvaluateBody
  return `\n${evaluationText(body, width)}${explainedText(body, width)}`
}
