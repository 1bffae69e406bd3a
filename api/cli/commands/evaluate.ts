/** `shardplan evaluate`: the cost of one given plan. */
import { evaluationReport, explainedText } from '../../report/evaluation.ts'
import { exitCodes } from '../exit-code.ts'
import { formatsOf, written } from '../formats.ts'
import { asking, type Desk, examples, type Options, questionOf, withPlan } from './asking.ts'

const formats = formatsOf(evaluationReport)

export function evaluate(desk: Desk): void {
  const { world, endsWith } = desk
  const says = 'cost one given plan'
  withPlan(asking(desk, { name: 'evaluate', alias: 'explain', says, formats, files: '[file]' }))
    .option('--explain', 'also list the collectives, and the steps of one layer')
    .addHelpText(
      'after',
      examples(
        'evaluate --model llama-3-8b --chip h100-sxm --chips 64 --batch 1M --seq 8k --mesh fsdp=64',
        'explain --chip h100-sxm --launch megatron=train_llama3_8b.sh',
      ),
    )
    .action(async (file: string | undefined, options: Options) => {
      const { body } = questionOf(world, file, options)
      const answer = await (await world.asker(options.server)).evaluate(body)
      world.out(written(formats, options.format)(answer, world.width))
      if (options.explain && options.format === 'text') world.out(explainedText(answer, world.width))
      if (!answer.plan.feasible) endsWith(exitCodes.infeasible)
    })
}
