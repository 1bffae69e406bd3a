/** `shardplan optimize`: ranks the best plans. */
import { changed } from '../../hints/change.ts'
import { evaluationReport, explainedText } from '../../report/evaluation.ts'
import { plansReport } from '../../report/plans.ts'
import { isLaunch } from '../../schemas/launch.ts'
import type { EvaluateBody, OptimizeBody } from '../../worker/desk.ts'
import type { Asker } from '../asker.ts'
import { exitCodes } from '../exit-code.ts'
import { formatsOf, written } from '../formats.ts'
import type { AskedDocument } from '../places.ts'
import type { World } from '../world.ts'
import { asking, type Desk, examples, launching, type Options, questionOf } from './asking.ts'

const formats = formatsOf(plansReport)

export function optimize(desk: Desk): void {
  const { world, endsWith } = desk
  const says = 'find the best plans, ranked'
  launching(asking(desk, { name: 'optimize', alias: 'plan', says, formats, files: '[file]' }))
    .option('--explain', 'also say where the time and memory of the first plan go, and why')
    .addHelpText(
      'after',
      examples(
        'optimize --model llama-3-70b --chip h100-sxm --chips 64 --batch 4M --seq 8k',
        'plan request.yaml --format csv',
        'plan --chip h100-sxm --launch megatron=train_llama3_8b.sh',
      ),
    )
    .action(async (file: string | undefined, options: Options) => {
      const asker = await world.asker(options.server)
      const body = await searched(world, questionOf(world, file, options), asker)
      const answer = await asker.optimize(body)
      world.out(written(formats, options.format)(answer, world.width))
      if (options.explain && options.format === 'text') world.out(explained(answer, world.width))
      if (answer.plans.length === 0) endsWith(exitCodes.infeasible)
    })
}

/** The same question without its plan; a launch file says part of the question, as /validate reads it. */
async function searched({ err }: World, { file, body }: AskedDocument, asker: Asker): Promise<unknown> {
  if (typeof body !== 'object' || body === null || !('plan' in body)) return body
  const read = isLaunch(body) ? (await asker.validate(body)).read?.request : undefined
  const where = file === null ? '' : `${file}: `
  const how = read ? 'its problem is searched' : 'the problem is searched without it'
  err(`${where}plan is left out here, and ${how}: shardplan evaluate and check are for the plan itself\n`)
  return changed(read ?? body, [
    { pointer: '/plan', value: null },
    { pointer: '/require', value: null },
  ])
}

/** The account of the first plan; for a deployment its explanation. */
function explained({ mode, plans: [first] }: OptimizeBody, width: number | undefined): string {
  if (!first) return ''
  if (mode === 'serve') return `\n${first.explanation.map((line) => `${line}\n`).join('')}`
  const body = { plan: first, warnings: [] } as unknown as EvaluateBody
  return `\n${evaluationReport.text(body, width)}${explainedText(body, width)}`
}
