/** The command line: `shardplan optimize`, `evaluate`, `validate`, `compare`, `models`, `hardware` and `serve`. */
import { Argument, Command, CommanderError, Option } from 'commander'
import { stringify } from 'yaml'
import { loadCatalogue } from '../catalogue.ts'
import { changed } from '../hints/change.ts'
import { ProblemError, problems } from '../problems.ts'
import { calibrationText } from '../report/calibration.ts'
import { comparisonCsv, comparisonHtml, comparisonMarkdown, comparisonText } from '../report/comparison.ts'
import { evaluationCsv, evaluationHtml, evaluationMarkdown, evaluationText } from '../report/evaluation.ts'
import { plansCsv, plansHtml, plansMarkdown, plansText } from '../report/plans.ts'
import { checkReports } from '../report/reports.ts'
import { table } from '../report/table.ts'
import type { CompareBody } from '../schemas/compare.ts'
import { version } from '../version.ts'
import type { EvaluateBody, OptimizeBody } from '../worker/desk.ts'
import { type CheckedFile, checkedFile } from './check-files.ts'
import { completion, type Shell, shells } from './completion.ts'
import { noDocument, type RequestDocument, requestDocument } from './document.ts'
import { type ExitCode, exitCodeOf, exitCodes, gravest } from './exit-code.ts'
import {
  assignment,
  planOptions,
  type RequestOptions,
  requestOptions,
  withOptions,
} from './request-options.ts'
import { UsageError } from './usage-error.ts'
import type { World } from './world.ts'

interface Options extends RequestOptions {
  readonly format: string
  readonly report?: readonly string[]
  readonly server?: string
  readonly launch?: string
  readonly against?: readonly string[]
  readonly explain?: boolean
}

type Write<Answer> = (answer: Answer, width: number | undefined) => string

const json: Write<unknown> = (answer) => `${JSON.stringify(answer, null, 2)}\n`
const yaml: Write<unknown> = (answer) => stringify(answer)

const planFormats: Readonly<Record<string, Write<OptimizeBody>>> = {
  text: plansText,
  json,
  yaml,
  markdown: plansMarkdown,
  csv: plansCsv,
  html: plansHtml,
}

const calibrationFormats = { text: calibrationText, json, yaml } as const
const comparisonFormats: Readonly<Record<string, Write<CompareBody>>> = {
  text: comparisonText,
  json,
  yaml,
  markdown: comparisonMarkdown,
  csv: comparisonCsv,
  html: comparisonHtml,
}

const evaluationFormats: Readonly<Record<string, Write<EvaluateBody>>> = {
  text: evaluationText,
  json,
  yaml,
  markdown: evaluationMarkdown,
  csv: evaluationCsv,
  html: evaluationHtml,
}

const checkFormats: Readonly<Record<string, Write<readonly CheckedFile[]>>> = {
  json: (files) => json(wholeOf(files), undefined),
  yaml: (files) => yaml(wholeOf(files), undefined),
  ...Object.fromEntries(
    Object.entries(checkReports).map(([name, write]) => [
      name,
      (files: readonly CheckedFile[]) => write(files.map(({ checked }) => checked)),
    ]),
  ),
}

/** Runs the command; resolves to what it ends with. */
export async function shardplan(args: readonly string[], world: World): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok
  const program = new Command('shardplan')
    .description('Plan how to shard large Transformers, and check plans before they run.')
    .version(version())
    .exitOverride()
    .configureOutput({ writeOut: world.out, writeErr: world.err })
    .addHelpText(
      'after',
      `\nEnds with 0; 1 where a check fails, 2 on bad input, 3 where nothing fits, 4 where time was over, 5 where no answer could be had.\n`,
    )

  const asking = (name: string, alias: string, says: string, formats: object, files: string) =>
    program
      .command(name)
      .alias(alias)
      .description(says)
      .argument(files, 'requests as JSON or YAML, - for what is piped in; none where options say it all')
      .addOption(
        new Option('--format <format>', 'how to tell it').choices(Object.keys(formats)).default('text'),
      )
      .option('--server <url>', 'ask a service instead (its key in SHARDPLAN_API_KEY)')
      .option('--set <path=value>', 'change the request: workload.batchTokens=8M', collected)
  const withOptionsOf = (command: Command, options: typeof requestOptions | typeof planOptions) => {
    for (const { flags, says } of Object.values(options)) command.option(flags, says)
    return command
  }
  const withRequest = (command: Command) => withOptionsOf(command, requestOptions)
  const documentOf = (file: string | undefined, options: Options): RequestDocument => {
    const found =
      file === undefined ? noDocument : requestDocument(world.read(file), file === '-' ? null : file)
    const changes = options.launch ? [launchOf(options.launch)] : []
    return { ...found, body: withOptions(changed(found.body, changes), options) }
  }
  const launchOf = (text: string) => {
    const [, framework = '', file = ''] = /^([\w-]+)=(.+)$/s.exec(text) ?? []
    if (!file) throw new UsageError(`--launch ${text}: write framework=file, such as megatron=run.sh`)
    // As the frameworks are called in answers: tensorrt-llm is tensorrtLlm of a plan.
    const key = framework.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    return { pointer: `/plan/${key}`, value: world.read(file) }
  }
  const launching = (command: Command) =>
    withOptionsOf(withRequest(command), planOptions).option(
      '--launch <framework=file>',
      'the plan as it is launched: megatron=run.sh',
    )

  withRequest(asking('optimize', 'plan', 'the best plans, ranked', planFormats, '[file]'))
    .option('--explain', 'and where the time and the memory of the first go, and why')
    .addHelpText(
      'after',
      examples(
        'optimize --model llama-3-70b --chip h100-sxm --chips 64 --batch 4M --seq 8k',
        'plan request.yaml --format csv',
      ),
    )
    .action(async (file: string | undefined, options: Options) => {
      const { body } = documentOf(file, options)
      const answer = await (await world.asker(options.server)).optimize(body)
      world.out(written(planFormats, options.format)(answer, world.width))
      if (options.explain && options.format === 'text') world.out(explained(answer, world.width))
      if (answer.plans.length === 0) code = exitCodes.infeasible
    })

  launching(asking('evaluate', 'explain', 'what one given plan costs', evaluationFormats, '[file]'))
    .addHelpText(
      'after',
      examples(
        'evaluate --model llama-3-8b --chip h100-sxm --chips 64 --batch 1M --seq 8k --mesh fsdp=64',
        'explain --chip h100-sxm --launch megatron=train_llama3_8b.sh',
      ),
    )
    .action(async (file: string | undefined, options: Options) => {
      const { body } = documentOf(file, options)
      const answer = await (await world.asker(options.server)).evaluate(body)
      world.out(written(evaluationFormats, options.format)(answer, world.width))
      if (!answer.plan.feasible) code = exitCodes.infeasible
    })

  launching(
    asking(
      'validate',
      'check',
      'whether plans are legal, fit and are as good as required',
      checkFormats,
      '[files...]',
    ),
  )
    .option('--report <format=file>', 'write it in another format too, as often as one likes', collected)
    .addHelpText(
      'after',
      examples(
        'validate clusters/*.yaml',
        'check cluster.json --set require.withinOfBest=0.1 --report junit=shardplan.xml',
      ),
    )
    .action(async (files: readonly string[], options: Options) => {
      const reports = (options.report ?? []).map(reportOf)
      const asker = await world.asker(options.server)
      const found: CheckedFile[] = []
      for (const file of files.length > 0 ? files : [undefined]) {
        const name = file === '-' ? null : (file ?? options.launch?.replace(/^[^=]*=/, '') ?? null)
        found.push(await checkedFile(() => documentOf(file, options), name, asker))
      }
      for (const { format, file } of reports)
        world.write(file, written(checkFormats, format)(found, undefined))
      world.out(written(checkFormats, options.format)(found, world.width))
      code = gravest(found.map((one) => one.code))
    })

  asking(
    'calibrate',
    'fit',
    'constants set on your own measured runs (runs: requests of evaluate with measuredStepSeconds)',
    calibrationFormats,
    '[file]',
  )
    .addHelpText(
      'after',
      examples('calibrate runs.yaml', 'calibrate runs.yaml --set constants=["sustainedShare"]'),
    )
    .action(async (file: string | undefined, options: Options) => {
      const { body } = documentOf(file, options)
      const answer = await (await world.asker(options.server)).calibrate(body)
      world.out(written(calibrationFormats, options.format)(answer, world.width))
    })

  withRequest(
    asking(
      'compare',
      'diff',
      'requests or plans side by side, and why one takes longer',
      comparisonFormats,
      '[files...]',
    ),
  )
    .option('--against <path=value>', 'and the same with this changed: hardware.nicGbps=200', collected)
    .addHelpText(
      'after',
      examples('compare today.yaml tomorrow.yaml', 'compare cluster.yaml --against hardware.nicGbps=200'),
    )
    .action(async (files: readonly string[], options: Options) => {
      const found = (files.length > 0 ? files : [undefined]).map((file) => ({
        name: file ?? 'as asked',
        body: documentOf(file, options).body,
      }))
      const body = comparisonBody(found, options.against ?? [])
      const answer = await (await world.asker(options.server)).compare(body)
      world.out(written(comparisonFormats, options.format)(answer, world.width))
      if (answer.variants.some(({ plan }) => plan === null)) code = exitCodes.infeasible
    })

  program
    .command('models')
    .description('the models that are known by name')
    .action(() => {
      const rows = [...loadCatalogue().models.values()].map(({ record, parameters }) => [
        record.name,
        billions(parameters.total),
        billions(parameters.active),
      ])
      world.out(`${table([['name', 'parameters', 'active'], ...rows]).join('\n')}\n`)
    })

  program
    .command('hardware')
    .description('the chips that are known by name')
    .action(() => {
      const rows = [...loadCatalogue().chips.values()].map(({ name, hbmBytes, title }) => [
        name,
        `${(hbmBytes / 1e9).toFixed(0)} GB`,
        title,
      ])
      world.out(`${table([['name', 'memory', ''], ...rows]).join('\n')}\n`)
    })

  program
    .command('completion')
    .description('what a shell completes: eval "$(shardplan completion bash)"')
    .addArgument(new Argument('<shell>').choices(shells))
    .action((shell: Shell) => world.out(completion(program, shell)))

  program
    .command('serve')
    .description('the service, set by environment variables (docs/operations.md)')
    .action(() => world.serve())

  try {
    await program.parseAsync([...args], { from: 'user' })
    return code
  } catch (error) {
    return told(error, world)
  }
}

function told(error: unknown, { err }: World): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.badInput
  if (error instanceof UsageError) {
    err(`error: ${error.message}\n`)
    return exitCodes.badInput
  }
  if (!(error instanceof ProblemError)) throw error
  const { slug, message, faults } = error
  const lines =
    faults.length > 0
      ? faults.map(({ pointer, detail }) => `${pointer || 'the request'} ${detail}`)
      : [message]
  err(`error: ${problems[slug].title}\n${lines.map((line) => `  ${line}\n`).join('')}`)
  return exitCodeOf(slug)
}

function written<Answer>(formats: Readonly<Record<string, Write<Answer>>>, name: string): Write<Answer> {
  const write = Object.hasOwn(formats, name) ? formats[name] : undefined
  if (!write) throw new UsageError(`${name} is no format; there are ${Object.keys(formats).join(', ')}`)
  return write
}

function reportOf(text: string): { readonly format: string; readonly file: string } {
  const [, format = '', file = ''] = /^(\w+)=(.+)$/.exec(text) ?? []
  if (!file) throw new UsageError(`--report ${text}: write format=file, such as junit=shardplan.xml`)
  written(checkFormats, format)
  return { format, file }
}

/** One answer as the service gives it; of files their names beside. */
function wholeOf(files: readonly CheckedFile[]): unknown {
  const [first] = files
  if (files.length === 1 && first?.checked.file === null) return first.answer
  return {
    ok: files.every(({ code }) => code === exitCodes.ok),
    files: files.map(({ checked, answer }) => ({ file: checked.file, ...answer })),
  }
}

/** The account of the first plan; of a deployment what it says of itself. */
function explained({ mode, plans: [first] }: OptimizeBody, width: number | undefined): string {
  if (!first) return ''
  if (mode === 'serve') return `\n${first.explanation.map((line) => `${line}\n`).join('')}`
  return `\n${evaluationText({ plan: first, warnings: [] } as Parameters<typeof evaluationText>[0], width)}`
}

/** Each document a variant, and each of them again with what it is to be compared with; one that is a comparison is as it stands. */
function comparisonBody(
  found: readonly { readonly name: string; readonly body: unknown }[],
  against: readonly string[],
): unknown {
  const [only] = found
  if (found.length === 1 && only && typeof only.body === 'object' && only.body && 'variants' in only.body) {
    return only.body
  }
  const names = found.map(({ name }) => name)
  const variants = found.flatMap(({ name, body }, at) => {
    const own = names.indexOf(name) === at ? name : `${name} (${at + 1})`
    const named = { name: own, ...(body as object) }
    if (against.length === 0) return [named]
    const changes = against.map(assignment)
    const change = `with ${against.join(', ')}`
    const other = found.length > 1 ? `${own} ${change}` : change
    return [named, { ...(changed(body, changes) as object), name: other }]
  })
  if (variants.length < 2)
    throw new UsageError('compare takes two files or more, or one and --against path=value')
  return { variants }
}

function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  shardplan ${line}\n`).join('')}`
}

function billions(count: number): string {
  return `${Number((count / 1e9).toPrecision(3))}B`
}
