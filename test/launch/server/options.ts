/** Finds options in a server's command that the option list of its version (fixtures/options) does not have. */
import { readFileSync } from 'node:fs'
import { readScript } from '../../../src/launch/read/shell/script.ts'
import type { Start } from '../../../src/launch/start.ts'

interface OptionList {
  readonly version: string
  readonly names: readonly string[]
  /** Of files that are younger than the version. */
  readonly later?: readonly string[]
  /** Of its file. */
  readonly keys?: readonly string[]
}

const lists = Object.fromEntries(
  ['vllm', 'sglang', 'tensorrt-llm'].map((name): [string, OptionList] => [
    name,
    JSON.parse(readFileSync(`fixtures/options/${name}.json`, 'utf8')),
  ]),
)

export function unknownOptions(launch: object): readonly string[] {
  const { commands = {} } = launch as { readonly commands?: Readonly<Record<string, Start>> }
  return Object.entries(commands).flatMap(([framework, { version, command, files }]) => {
    const list = lists[framework]
    if (!list) return []
    if (list.version !== version) return [`${framework} ${version}, and a list of ${list.version}`]
    const options = new Set([...list.names, ...(list.later ?? [])])
    const words = readScript(command.replaceAll(/\$\([^()]*\|\| echo (--headless)\)/g, '$1')).commands.flat()
    const keys = files.flatMap(({ text }) => leaves(JSON.parse(text)))
    return [
      ...words.filter((word) => /^--[a-z]/.test(word) && !options.has(word) && !srun.includes(word)),
      ...keys.filter((key) => !list.keys?.includes(key) && !list.names.includes(key)),
    ]
  })
}

/** As config.key. */
function leaves(config: object, above = ''): readonly string[] {
  return Object.entries(config).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leaves(value, `${above}${key}.`)
      : [`${above}${key}`],
  )
}

/** What starts TensorRT-LLM on several hosts. */
const srun: readonly string[] = ['--mpi=pmix', '--nodes', '--ntasks-per-node']
