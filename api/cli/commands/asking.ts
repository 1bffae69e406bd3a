/** What the commands that ask for an answer have in common: their options, and the request that files and options make together. */
import { type Command, Option } from 'commander'
import { compact } from '../../../src/compact.ts'
import { isFields } from '../../../src/fields.ts'
import { changed } from '../../hints/change.ts'
import { noDocument, type RequestDocument, requestDocument, UnparsedFile } from '../document.ts'
import type { ExitCode } from '../exit-code.ts'
import { type Launched, launchedBy, withLaunch } from '../launched.ts'
import { withModelFile } from '../model-file.ts'
import { withNamedFiles } from '../named-launch.ts'
import { type AskedDocument, launchWithin, placesOf } from '../places.ts'
import { planOptions, type RequestOptions, requestOptions, withOptions } from '../request-options.ts'
import { UsageError } from '../usage-error.ts'
import type { World } from '../world.ts'

/** The program that a command is added to, and the world that it touches. */
export interface Desk {
  readonly program: Command
  readonly world: World
  /** Sets the exit code, if it is not 0. */
  readonly endsWith: (code: ExitCode) => void
}

/** Of a command that reads several launch files. */
export interface SeveralLaunched extends Omit<Options, 'launch'> {
  readonly launch?: readonly string[]
}

export interface Options extends RequestOptions {
  readonly format: string
  readonly report?: readonly string[]
  readonly server?: string
  readonly launch?: string
  readonly against?: readonly string[]
  readonly explain?: boolean
}

interface Asking {
  readonly name: string
  readonly alias: string
  readonly says: string
  readonly formats: object
  readonly files: '[file]' | '[files...]'
}

export function asking({ program }: Desk, { name, alias, says, formats, files }: Asking): Command {
  return program
    .command(name)
    .alias(alias)
    .description(says)
    .argument(
      files,
      'requests as JSON or YAML, or with --chip launch files; - reads standard input; not needed if the options give everything',
    )
    .addOption(new Option('--format <format>', 'output format').choices(Object.keys(formats)).default('text'))
    .option('--server <url>', 'send the request to a running service (API key in SHARDPLAN_API_KEY)')
    .option('--set <path=value>', 'set a field of the request: workload.batchTokens=8M', collected)
}

/** Adds options that describe a request. */
export function withRequest(command: Command): Command {
  return withOptionsOf(command, requestOptions)
}

export const launchOption = '--launch <framework=file>'

/** Adds options that describe a request, possibly by a launch file. */
export function launching(command: Command): Command {
  return withRequest(command).option(launchOption, `${launchSays}: megatron=run.sh`, single)
}

/** Adds options that describe a request and its plan. */
export function withPlan(command: Command): Command {
  return withOptionsOf(launching(command), planOptions)
}

/** Adds options that describe a request and its plan, or the plans of several launch files. */
export function withPlans(command: Command): Command {
  return withOptionsOf(withRequest(command), planOptions).option(
    launchOption,
    `${launchSays}: megatron=run.sh; may be given several times`,
    collected,
  )
}

const launchSays = 'read the plan, and what else it says, from a launch file'

/** Of two, the first would be left out without a word. */
function single(value: string, before: string | undefined): string {
  if (before === undefined) return value
  throw new UsageError(`--launch ${value}: one launch file is read here, and ${before} is given as well`)
}

function withOptionsOf(command: Command, options: typeof requestOptions | typeof planOptions): Command {
  for (const { flags, says } of Object.values(options)) command.option(flags, says)
  return command
}

export function documentOf(world: World, file: string | undefined, options: Options): AskedDocument {
  const { found, body, texts } = foundIn(world, file, options)
  return {
    file: found.file,
    body: withModelFile(withOptions(body, options), options.model, world.read),
    placeOf: placesOf(found, texts),
  }
}

interface Found extends Launched {
  readonly found: RequestDocument
}

function foundIn(world: World, file: string | undefined, options: Options): Found {
  const text = file === undefined ? '' : world.read(file)
  const name = file === '-' ? null : (file ?? null)
  try {
    const found = file === undefined ? noDocument : requestDocument(text, name)
    if (options.launch) return { found, ...withLaunch(found.body, options.launch, world) }
    const { body, texts } = withNamedFiles(found.body, name, world)
    return { found, body, texts: texts.length > 0 ? texts : launchWithin(found) }
  } catch (error) {
    // A launch file says the plan, and options what it runs on: that is a request.
    const key = error instanceof UnparsedFile && !options.launch ? error.launch : undefined
    if (key === undefined || !saysHardware(options)) throw error
    const launched = launchedBy(key, { file: file ?? '-', text }, {}, world)
    return { found: noDocument, ...launched, texts: name === null ? [] : launched.texts }
  }
}

/** Whether the options alone say a chip. */
function saysHardware({ chip, set = [] }: Options): boolean {
  return chip !== undefined || set.some((one) => /^\/?hardware\b/.test(one))
}

/**
 * The request without its requirements, which only `check` has a use for: one file serves all commands. The service itself
 * refuses them where they have no say.
 */
export function questionOf(world: World, file: string | undefined, options: Options): AskedDocument {
  const found = documentOf(world, file, options)
  const body = withoutRequirements(found.body)
  if (body !== found.body) {
    const where = file === undefined || file === '-' ? '' : `${file}: `
    world.err(`${where}require is left out here: shardplan check holds a plan to it\n`)
  }
  return { ...found, body }
}

/** The same object where there are none. */
function withoutRequirements(body: unknown): unknown {
  if (!isFields(body)) return body
  const { variants, request } = body
  const pointers = compact(
    requirementsIn(body, ''),
    Array.isArray(variants) && variants.flatMap((own, at) => requirementsIn(own, `/variants/${at}`)),
    variants !== undefined && requirementsIn(request, '/request'),
  )
  if (pointers.length === 0) return body
  return changed(
    body,
    pointers.map((pointer) => ({ pointer, value: null })),
  )
}

function requirementsIn(part: unknown, at: string): readonly string[] {
  return isFields(part) && 'require' in part ? [`${at}/require`] : []
}

export function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  shardplan ${line}\n`).join('')}`
}
