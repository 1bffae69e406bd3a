/** Options of a server's command, each under one spelling: short names and names with underscores become long names with hyphens. */
import { type Options, optionsOf } from './options.ts'
import { readScript } from './shell/script.ts'

export interface ServerCommand {
  readonly options: Options
  /** The model, if it stands right behind the command. */
  readonly model: string | null
  /** Whether the text has a command, and not options alone. */
  readonly starts: boolean
  /** Of the script that starts it. */
  readonly variables: ReadonlyMap<string, readonly string[]>
  readonly notes: readonly string[]
  /** Says if the command starts another program. */
  readonly faults: readonly string[]
}

/** How a framework's server is started. */
export interface Program {
  readonly name: string
  /** Of a word and the next one: a program may have other commands (`vllm bench serve`), and its name may be a value (`--backend vllm`). */
  readonly starts: RegExp
  /** A container image that starts it, with the options behind it. */
  readonly image?: RegExp
  readonly usual: string
}

/** The last command of a script, of those for the phase that is asked, that starts the program; a text of options alone, or of a model and options, counts as well. */
export function serverCommand(
  text: string,
  program: Program,
  short: Readonly<Record<string, string>>,
  mode: string | null = null,
): ServerCommand {
  const { commands, variables, notes: told } = readScript(text)
  const started = startedIn(commands, program.starts)
  const servers = started.length > 0 || !program.image ? started : startedIn(commands, program.image)
  const ofOwn = ofPhase(servers, mode)
  const words = ofOwn.at(-1) ?? bare(commands.flat())
  if (words === null)
    return { ...nothing, starts: false, variables, notes: told, faults: [anotherProgram(commands, program)] }
  const different = (some: Commands) => new Set(some.map((one) => one.join(' '))).size
  const [all, phase] = [different(servers), different(ofOwn)]
  const which = phase < all ? (phase > 1 ? 'the last of the phase' : 'that of the phase') : 'the last'
  const notes = all > 1 ? [...told, `of ${all} commands that start ${program.name} ${which} is read`] : told
  const own = words.flatMap((word) => (word === 'serve' ? [] : [spelled(word, short)]))
  const [model] = own
  const named = model !== undefined && !model.startsWith('-')
  return {
    options: optionsOf(named ? own.slice(1) : own),
    model: named ? model : null,
    starts: servers.length > 0,
    variables,
    notes,
    faults: [],
  }
}

type Commands = readonly (readonly string[])[]

const nothing = { options: optionsOf([]), model: null }

/** The words behind the one that matches, of each command that has one. */
function startedIn(commands: Commands, starts: RegExp): Commands {
  return commands.flatMap((command) => {
    const at = command.findIndex((word, index) => starts.test(`${word} ${command[index + 1] ?? ''}`))
    return at < 0 ? [] : [command.slice(at + 1)]
  })
}

/** What a server of SGLang, a worker of Dynamo, or a server of vLLM that hands its caches on is told that reads prompts for others. */
const reads = /--disaggregation-mode[= ]prefill\b|--is-prefill-worker\b|"kv_role"\s*:\s*"kv_producer"/

/** Of servers that share the work those that do the phase; all of them where none is known to, or both phases are asked. */
function ofPhase(servers: Commands, mode: string | null): Commands {
  if (mode !== 'prefill' && mode !== 'generate') return servers
  const own = servers.filter((words) => reads.test(words.join(' ')) === (mode === 'prefill'))
  return own.length > 0 ? own : servers
}

function bare(words: readonly string[]): readonly string[] | null {
  const [first = ''] = words
  return /^-|^serve$|^[\w.-]+\/[\w.-]+$/.test(first) ? words : null
}

function anotherProgram(commands: Commands, { name, usual }: Program): string {
  // Of a container it is the image that tells the program.
  const started = commands.flatMap((words) => words.slice(0, words[0] === 'docker' ? 3 : 1).join(' ') || [])
  const [first] = started.filter(
    (words) => !/^(cat|set|cd|echo|mkdir|export|source|\.|wait|sleep)$/.test(words),
  )
  const what = first === undefined ? 'the text has no command' : `the program is ${first.slice(0, 100)}`
  return `${what}, where one of ${name} is meant: ${usual}`
}

function spelled(word: string, short: Readonly<Record<string, string>>): string {
  const [name = '', ...rest] = word.startsWith('-') ? word.split('=') : [word]
  if (!word.startsWith('-')) return word
  const long = short[name] ?? (name.startsWith('--') ? `--${name.slice(2).replaceAll('_', '-')}` : name)
  return [short[long] ?? long, ...rest].join('=')
}
