/** Requests with a launch file as their plan: where the command finds that file, and the texts that it is made of. */
import { changed } from '../hints/change.ts'
import { nearest } from '../hints/nearest.ts'
import { launchKeys } from '../schemas/launch.ts'
import { launchRead } from './beside.ts'
import type { LaunchText } from './launch-lines.ts'
import { UsageError } from './usage-error.ts'
import type { World } from './world.ts'

export interface Launched {
  readonly body: unknown
  /** What the launch file is made of; empty if it is no file of its own. */
  readonly texts: readonly LaunchText[]
}

/** The name of the file in framework=file. */
export function launchFile(text: string): string {
  return text.replace(/^[^=]*=/, '')
}

/** The request with a launch file, given as framework=file, for its plan. */
export function withLaunch(body: unknown, text: string, world: World): Launched {
  const [, framework = '', file = ''] = /^([\w-]+)=([\s\S]+)$/.exec(text) ?? []
  if (!file) throw new UsageError(`--launch ${text}: write framework=file, such as megatron=run.sh`)
  // Frameworks have the names that they have in answers: tensorrt-llm is tensorrtLlm in a plan.
  const key = framework.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  if (!launchKeys.includes(key)) {
    const near = nearest(key, launchKeys)
    const which =
      near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${launchKeys.join(', ')}`
    throw new UsageError(`--launch ${text}: ${framework} is no framework that is read; ${which}`)
  }
  return launchedBy(key, { file, text: world.read(file) }, body, world)
}

/** The request with a launch file that is read already. */
export function launchedBy(
  key: string,
  { file, text }: Pick<LaunchText, 'file' | 'text'>,
  body: unknown,
  { read }: World,
): Launched {
  const { whole, texts } = launchRead(text, file, read)
  return { body: changed(body, [{ pointer: '/plan', value: { [key]: whole } }]), texts }
}
