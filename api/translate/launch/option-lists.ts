/** The options that a version of a framework has, where a list of all of them is kept (fixtures/options). Read when first asked for. */
import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import { root } from '../../root.ts'

const optionList = z.object({
  version: z.string(),
  names: z.array(z.string()),
  /** Of files that are younger than the version, or that are added under a condition. */
  later: z.array(z.string()).default([]),
  /** False where options without a say in a plan may be missing. */
  whole: z.boolean().default(false),
  /** Whether its parser takes a hyphen for an underscore, and the other way round. */
  hyphens: z.enum(['either', 'exact']).default('either'),
  /** Sections of a file that refuse any key that `names` does not have. */
  closed: z.array(z.string()).default([]),
  /** Options by what their value has to be, of those of which that is known. */
  values: z
    .object({ int: z.array(z.string()), float: z.array(z.string()), flag: z.array(z.string()) })
    .partial()
    .default({}),
})

export type ValueKind = keyof z.output<typeof optionList>['values']

const folder = new URL('fixtures/options/', root)
const files = new Map<string, z.output<typeof optionList> | null>()

type Release = Pick<LaunchReading, 'framework' | 'version'>

/** Null if there is no list of that version, or none of all options. */
export function optionsOfVersion(release: Release): readonly string[] | null {
  const list = listOf(release)
  return list && [...list.names, ...list.later]
}

/** What values of an option are in that version; null where that is not known. */
export function valueKindOf(option: string, { framework, version }: Release): ValueKind | null {
  const list = listNamed(framework)
  const found = list?.version === version ? Object.entries(list.values) : []
  return (found.find(([, names]) => names?.includes(option))?.[0] as ValueKind | undefined) ?? null
}

/** Whether its parser tells a hyphen from an underscore. */
export function tellsHyphens(release: Release): boolean {
  return listOf(release)?.hyphens === 'exact'
}

/** Whether the key is one of a section whose list has all keys. */
export function isInClosedSection(key: string, release: Release): boolean {
  return listOf(release)?.closed.some((section) => key.startsWith(`${section}.`)) ?? false
}

function listOf({ framework, version }: Release) {
  const list = listNamed(framework)
  return list?.whole && list.version === version ? list : null
}

function listNamed(name: string) {
  const known = files.get(name)
  if (known !== undefined) return known
  const file = `${name}.json`
  const list = readdirSync(folder).includes(file)
    ? optionList.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8')))
    : null
  files.set(name, list)
  return list
}
