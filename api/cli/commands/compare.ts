/** `shardplan compare`: shows requests or plans side by side, and why one takes longer. */
import { changed } from '../../hints/change.ts'
import { comparisonReport } from '../../report/comparison.ts'
import { exitCodes } from '../exit-code.ts'
import { formatsOf, written } from '../formats.ts'
import { launchFile, withLaunch } from '../launched.ts'
import { assignment } from '../request-options.ts'
import { UsageError } from '../usage-error.ts'
import {
  asking,
  collected,
  type Desk,
  examples,
  launchOption,
  questionOf,
  type SeveralLaunched,
  withRequest,
} from './asking.ts'

const formats = formatsOf(comparisonReport)

export function compare(desk: Desk): void {
  const { world, endsWith } = desk
  const says = 'compare requests or plans side by side, and say why one takes longer'
  withRequest(asking(desk, { name: 'compare', alias: 'diff', says, formats, files: '[files...]' }))
    .option(
      '--against <path=value>',
      'compare with the same request after this change: hardware.nicGbps=200',
      collected,
    )
    .option(
      launchOption,
      'compare with the plan of a launch file, for the question of the first file: megatron=run.sh; may be given several times',
      collected,
    )
    .addHelpText(
      'after',
      examples(
        'compare today.yaml tomorrow.yaml',
        'compare cluster.yaml --against hardware.nicGbps=200',
        'compare cluster.yaml --launch megatron=run.sh',
        'compare --chip h100-sxm --launch megatron=today.sh --launch megatron=tomorrow.sh',
      ),
    )
    .action(async (files: readonly string[], { launch = [], ...options }: SeveralLaunched) => {
      const asked = (files.length > 0 ? files : [undefined]).map((file) => ({
        name: file ?? 'as asked',
        body: questionOf(world, file, options).body,
      }))
      const launched = launch.map((said) => ({
        name: launchFile(said),
        body: withLaunch(asked[0]?.body, said, world).body,
      }))
      const found = files.length === 0 && launched.length > 0 ? launched : [...asked, ...launched]
      const body = comparisonBody(found, options.against ?? [])
      const answer = await (await world.asker(options.server)).compare(body)
      world.out(written(formats, options.format)(answer, world.width))
      if (answer.variants.some(({ plan }) => plan === null)) endsWith(exitCodes.infeasible)
    })
}

/**
 * Each document is a variant, and once more with each change it is to be compared with; a document that already is a
 * comparison stays as it is.
 */
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
    throw new UsageError(
      'compare takes two files or more, --launch among them, or one and --against path=value',
    )
  return { variants }
}
