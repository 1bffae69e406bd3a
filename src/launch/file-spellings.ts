/** How a launch file itself spells a setting that our commands have: readers know more names than are written. */
import { megatronSynonyms, megatronUnits } from './megatron/read/synonyms.ts'
import type { ReadFramework } from './read/reading.ts'
import { spellings } from './settings/settings.ts'
import { sglangSettings } from './sglang/settings.ts'
import { tensorrtKeys } from './tensorrt-llm/read.ts'
import { vllmSettings } from './vllm/settings.ts'

/** For each other name, ours, and perhaps its value: the tables by which files are read. */
const otherNames: Partial<Readonly<Record<ReadFramework, Readonly<Record<string, string>>>>> = {
  megatron: { ...megatronSynonyms, ...megatronUnits },
  vllm: spellings(vllmSettings),
  sglang: spellings(sglangSettings),
  'tensorrt-llm': tensorrtKeys,
}

/** The other names by which a file has a setting. */
export function otherNamesIn(text: string, framework: ReadFramework, name: string): readonly string[] {
  const names = Object.entries(otherNames[framework] ?? {}).filter(([, ours]) =>
    ours.split(' ').includes(name),
  )
  return names.map(([other]) => other).filter((other) => isNamedIn(text, other))
}

/** Whether a file has a name as an option or a key, in whichever section, with dashes or underscores, outside comments. */
export function isNamedIn(text: string, name: string): boolean {
  const [dashes = ''] = /^-*/.exec(name) ?? []
  const [whole = ''] = name.slice(dashes.length).split('=')
  const own = (whole.split('.').at(-1) ?? '').replaceAll(/[*+?^${}()|[\]\\]/g, '\\$&')
  const any = own.replaceAll(/[-_]/g, '[-_]')
  const option = `${dashes || '--?'}(\\w+\\.)*${any}(?![\\w-])`
  const key = dashes === '-' ? '' : `|${any}["']?\\s*[:=]`
  const lines = text.replaceAll(/(^|\s)#.*$/gm, '')
  return new RegExp(`(?<![\\w-])(${option}${key})`).test(lines)
}
