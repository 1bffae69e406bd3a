/** Launch files that a request names in place of their text: `plan: {megatron: {file: train.sh}}`. */
import { dirname, isAbsolute, join, relative } from 'node:path'
import { type Fields, isFields, ownValue } from '../../src/fields.ts'
import { changed } from '../hints/change.ts'
import { launchKeys } from '../schemas/launch.ts'
import { valueAt } from '../validation/json-pointer.ts'
import { launchRead } from './beside.ts'
import type { Launched } from './launched.ts'
import { UnreadableFile } from './usage-error.ts'
import type { World } from './world.ts'

/** Parts of a request, beside itself, that have a plan. */
const parts = ['variants', 'runs'] as const

/**
 * The request with the launch files that its plans name (`plan: {megatron: {file: train.sh}}`) in their place: by their path from the
 * request, inside its folder or that which the command runs in.
 */
export function withNamedFiles(body: unknown, request: string | null, world: World): Launched {
  const several = parts.flatMap((part) => {
    const own = valueAt(body, [part])
    return Array.isArray(own) ? own.map((_, at) => `/${part}/${at}`) : []
  })
  const found = ['', '/request', ...several].flatMap((at) => {
    const plan = valueAt(body, [...at.split('/').slice(1), 'plan'])
    const [key, named] = isFields(plan) ? fileNamed(plan) : []
    if (key === undefined || named === undefined) return []
    const file = reached(named, request)
    const { whole, texts } = launchRead(world.read(file), file, world.read)
    return [{ pointer: `${at}/plan/${key}`, value: whole, texts }]
  })
  const own = found.find(({ pointer }) => pointer.startsWith('/plan/'))
  return { body: found.length > 0 ? changed(body, found) : body, texts: own?.texts ?? [] }
}

/** The framework whose launch file the plan names, and that name. */
function fileNamed(plan: Fields): readonly [string?, string?] {
  for (const key of launchKeys) {
    const own = ownValue(plan, key)
    if (isFields(own) && Object.keys(own).join() === 'file' && typeof own.file === 'string')
      return [key, own.file]
  }
  return []
}

function reached(name: string, request: string | null): string {
  const folder = request === null ? '.' : dirname(request)
  const file = join(folder, name)
  const isInside = (from: string) => !/^\.\.(\/|$)/.test(relative(from, file))
  if (isAbsolute(name) || !(isInside(folder) || (!isAbsolute(file) && isInside('.'))))
    throw new UnreadableFile(
      `cannot read ${name}, which is named as a launch file: it lies outside of the folder of ${request ?? 'the request'}, and of that which the command runs in`,
    )
  return file
}
