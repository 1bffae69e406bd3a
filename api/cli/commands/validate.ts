/** `shardplan validate`: checks whether plans are legal, fit, and are as good as required. */
import { checkReports } from '../../report/reports.ts'
import { type CheckedFile, checkedFile } from '../check-files.ts'
import { isPage } from '../document.ts'
import { exitCodes, gravest } from '../exit-code.ts'
import { type Formats, json, written, yaml } from '../formats.ts'
import { launchFile } from '../launched.ts'
import type { AskedDocument } from '../places.ts'
import { UsageError } from '../usage-error.ts'
import type { World } from '../world.ts'
import {
  asking,
  collected,
  type Desk,
  documentOf,
  examples,
  type Options,
  type SeveralLaunched,
  withPlans,
} from './asking.ts'

const formats: Formats<readonly CheckedFile[]> = {
  json: (files) => json(wholeOf(files), undefined),
  yaml: (files) => yaml(wholeOf(files), undefined),
  ...Object.fromEntries(
    Object.entries(checkReports).map(([name, write]) => [
      name,
      (files: readonly CheckedFile[]) => write(files.map(({ checked }) => checked)),
    ]),
  ),
}

export function validate(desk: Desk): void {
  const { world, endsWith } = desk
  const says = 'check that plans are legal, fit and are as good as required'
  withPlans(asking(desk, { name: 'validate', alias: 'check', says, formats, files: '[files...]' }))
    .option(
      '--report <format=file>',
      'also write a report in another format; may be given several times',
      collected,
    )
    .addHelpText(
      'after',
      examples(
        'validate clusters/*.yaml',
        'check cluster.json --set require.withinOfBest=0.1 --report junit=shardplan.xml',
      ),
    )
    .action(async (files: readonly string[], { launch = [], ...options }: SeveralLaunched) => {
      const reports = (options.report ?? []).map(reportOf)
      const asker = await world.asker(options.server)
      const found: CheckedFile[] = []
      for (const { name, document } of plansAmong(world, { files, launch, options })) {
        found.push(await checkedFile(document, name, asker))
      }
      // The answer comes first: a report that cannot be written does not take it away.
      world.out(written(formats, options.format)(found, world.width))
      for (const { format, file } of reports) world.write(file, written(formats, format)(found, undefined))
      endsWith(gravest(found.map((one) => one.code)))
    })
}

interface Given {
  readonly files: readonly string[]
  readonly launch: readonly string[]
  readonly options: Omit<Options, 'launch'>
}

interface Entry {
  /** Null if the request did not come from a file. */
  readonly name: string | null
  readonly document: () => AskedDocument
}

/** An entry for each request, and with launch files for each of these as the plan of each request. */
function plansAmong(world: World, { files, launch, options }: Given): readonly Entry[] {
  const requests = files.length > 0 ? requestsAmong(files, world.err) : [undefined]
  return requests.flatMap((file) => {
    const name = file === undefined || file === '-' ? null : file
    if (launch.length === 0) return { name, document: () => documentOf(world, file, options) }
    return launch.map((said) => ({
      // Several plans of one request are told apart by their own names.
      name: name === null ? launchFile(said) : launch.length > 1 ? `${name} ${launchFile(said)}` : name,
      document: () => documentOf(world, file, { ...options, launch: said }),
    }))
  })
}

/** The files without pages of Markdown that lie beside them; all of them if they are nothing else. */
function requestsAmong(files: readonly string[], err: (text: string) => void): readonly string[] {
  const requests = files.filter((file) => !isPage(file))
  if (requests.length === 0) return files
  for (const page of files.filter(isPage)) err(`${page}: left out, as a page of Markdown is no request\n`)
  return requests
}

function reportOf(text: string): { readonly format: string; readonly file: string } {
  const [, format = '', file = ''] = /^(\w+)=(.+)$/.exec(text) ?? []
  if (!file) throw new UsageError(`--report ${text}: write format=file, such as junit=shardplan.xml`)
  written(formats, format)
  return { format, file }
}

/** A single answer as the service gives it; several with the names of their files. */
function wholeOf(files: readonly CheckedFile[]): unknown {
  const [first] = files
  if (files.length === 1 && first?.checked.file === null) return first.answer
  return {
    ok: files.every(({ code }) => code === exitCodes.ok),
    files: files.map(({ checked, answer }) => ({ file: checked.file, ...answer })),
  }
}
