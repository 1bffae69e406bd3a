/**
 * What a change of a plan means in its launch file: the settings by which the framework's launches of the two plans
 * differ, in its own spelling. Both are written from the same tables, so that nothing is said here of any option.
 */
import { isFields } from '../fields.ts'
import { isNamedIn, otherNamesIn } from './file-spellings.ts'
import { only } from './megatron/read/asserted/pairs.ts'
import type { Following, ReadFramework } from './read/reading.ts'
import { readScript } from './read/shell/script.ts'
import { inSlurm, shortNamesIn } from './slurm-said.ts'
import { shellWord, shellWords } from './start.ts'
import { tensorrtVersion } from './tensorrt-llm/version.ts'
import { torchtitanVersion } from './torchtitan/version.ts'

export interface InFile {
  /** Settings to add, or to give another value. */
  readonly set: readonly string[]
  /** Settings to take away. */
  readonly unset: readonly string[]
}

export interface Launched {
  /** What the framework's launch of the plan has. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Settings of those that the file does not have, though they are written. */
  readonly lacking: readonly string[]
}

type Settings = ReadonlyMap<string, string>

interface File {
  readonly framework: ReadFramework
  readonly version: string
  readonly text: string
  readonly follows: readonly Following[]
  /** Whether tasks of Slurm are its ranks, so that what we tell torchrun Slurm is told. */
  readonly ofTasks?: boolean
}

/**
 * Null if the framework cannot launch both, or nothing in its file says the change, or it needs other settings that
 * differ from host to host, such as those of a second host.
 */
export function inFile(file: File, before: Launched, after: Launched): InFile | null {
  const [there, own] = [settingsOf(file, before), settingsOf(file, after)]
  if (!there || !own) return null
  if (ofHosts.some((name) => own.has(name) && own.get(name) !== there.get(name))) return null
  const changed = [...own].filter(([name, text]) => there.get(name) !== text)
  const gone = [...there].filter(([name]) => !own.has(name))
  // What the framework's launches of both plans have, the file may lack.
  const needed = only
    .filter(({ setting }) => changed.some(([name]) => name === setting))
    .flatMap(({ needs }) => needs)
    .filter((name) => there.has(name) && !isNamedIn(file.text, name))
  // What the file leaves to follow from a changed setting would change with it.
  const isOther = (name: string) => [...changed, ...gone].some(([one]) => one === name)
  const held = file.follows
    .filter(({ setting, from }) => !isOther(setting) && from.some(isOther))
    .map(({ setting }) => setting)
  const beside = [...needed, ...held].flatMap((name) => own.get(name) ?? [])
  const set = [...changed.map(([, text]) => text), ...beside]
  const unset = [
    ...gone.filter(([name]) => isNamedIn(file.text, name)).map(([, text]) => text),
    ...[...gone, ...changed].flatMap(([name]) => [
      ...otherNamesIn(file.text, file.framework, name),
      ...(file.ofTasks ? shortNamesIn(file.text, name) : []),
    ]),
  ]
  return set.length + unset.length > 0 ? { set, unset } : null
}

/** The settings that the file has, by their names, and none that goes only with one that it lacks; null if the framework cannot launch the plan. */
function settingsOf(file: File, { settings, lacking }: Launched): Settings | null {
  const written = writtenSettings(file, settings)
  const alone = only
    .filter(({ needs }) => needs.every((one) => lacking.includes(one)))
    .map(({ setting }) => setting)
  const has = written && new Map([...written].filter(([name]) => ![...lacking, ...alone].includes(name)))
  if (!has || !file.ofTasks) return has
  const said = inSlurm(file.text, has)
  return said && new Map([...has, ...said].filter(([name]) => !ofHosts.includes(name)))
}

function writtenSettings({ framework, version }: File, launch: Launched['settings']): Settings | null {
  const { [framework]: written, commands } = launch
  const start = isFields(commands) ? commands[framework] : undefined
  if (!isFields(start)) return null
  const ofFile = files[`${framework} ${version}`]
  return ofFile ? ofFile(written) : settingsOfWords(readScript(String(start.command)).commands.at(-1) ?? [])
}

/** Frameworks whose settings are in a file, in these versions. */
const files: Readonly<Record<string, (written: unknown) => Settings>> = {
  [`torchtitan ${torchtitanVersion}`]: (config) => settingsOfToml(String(config)),
  [`tensorrt-llm ${tensorrtVersion}`]: (config) => settingsOfKeys(isFields(config) ? config : {}),
}

/** What differs from host to host, whatever the plan. */
const ofHosts = [
  ...['--node-rank', '--master-addr', '--master-port', '--dist-init-addr'],
  ...['start-rank', 'address', 'rpc-port'].map((name) => `--data-parallel-${name}`),
]

/** Options with what follows them, which a substitution of the shell is part of as a whole, and words such as `key=value`. */
function settingsOfWords(words: readonly string[]): Settings {
  const found = new Map<string, string>()
  let option: string | null = null
  let open = 0
  for (const word of words) {
    const [, key] = /^([\w.+-]+)[=:]/.exec(word) ?? []
    const isInside = open > 0
    if (isInside || word.includes('$(')) open += word.split('(').length - word.split(')').length
    if (isInside && option) found.set(option, `${found.get(option)} ${word}`)
    else if (word.startsWith('--')) {
      option = word
      found.set(option, option)
    } else if (key) found.set(key, shellWord(word))
    else if (option && !word.endsWith('.py'))
      found.set(option, `${found.get(option) ?? option} ${shellWords([word])}`)
  }
  return found
}

/** The lines of a config as we write it, by section and key. */
function settingsOfToml(text: string): Settings {
  const found = new Map<string, string>()
  let section = ''
  for (const line of text.split('\n')) {
    const [, heading] = /^\[(.+)\]$/.exec(line) ?? []
    const [, key] = /^(\w+) = /.exec(line) ?? []
    if (heading) section = heading
    if (key) found.set(`${section}.${key}`, `${section}.${line}`)
  }
  return found
}

function settingsOfKeys(config: Readonly<Record<string, unknown>>, above = ''): Settings {
  const found = new Map<string, string>()
  for (const [key, value] of Object.entries(config)) {
    const name = `${above}${key}`
    if (!isFields(value)) found.set(name, `${name}: ${JSON.stringify(value)}`)
    else for (const [inner, text] of settingsOfKeys(value, `${name}.`)) found.set(inner, text)
  }
  return found
}
