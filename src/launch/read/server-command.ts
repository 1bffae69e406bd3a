/** The options of a server's command, under one spelling of each: short ones and those with underscores are the long ones with hyphens. */
import { type Options, optionsOf } from './options.ts'
import { readScript } from './shell/script.ts'

export interface ServerCommand {
  readonly options: Options
  /** The word behind the command, where the model stands there. */
  readonly model: string | null
  readonly notes: readonly string[]
  /** That it is another program's. */
  readonly faults: readonly string[]
}

/** How a framework's server is started. */
export interface Program {
  readonly name: string
  readonly starts: RegExp
  /** A container that starts it, with the options behind it. */
  readonly image?: RegExp
  readonly usual: string
}

/** The last command of a script in which a word starts the program; options alone, or a model before them, are its own too. */
export function serverCommand(
  text: string,
  program: Program,
  short: Readonly<Record<string, string>>,
): ServerCommand {
  const { commands, notes } = readScript(text)
  const words =
    startedIn(commands, program.starts) ??
    inner(commands, program.starts) ??
    (program.image ? startedIn(commands, program.image) : null) ??
    bare(commands.flat())
  if (words === null) return { ...nothing, notes, faults: [anotherProgram(commands.flat(), program)] }
  const own = words.flatMap((word) => (word === 'serve' ? [] : [spelled(word, short)]))
  const [model] = own
  const named = model !== undefined && !model.startsWith('-')
  return { options: optionsOf(named ? own.slice(1) : own), model: named ? model : null, notes, faults: [] }
}

type Commands = readonly (readonly string[])[]

const nothing = { options: optionsOf([]), model: null }

/** What stands behind the last of such words; null where there is none. */
function startedIn(commands: Commands, starts: RegExp): readonly string[] | null {
  const words = commands.findLast((command) => command.some((word) => starts.test(word)))
  return words?.slice(words.findIndex((word) => starts.test(word)) + 1) ?? null
}

/** Of a shell that is told its command in one word: bash -c "vllm serve …". */
function inner(commands: Commands, starts: RegExp): readonly string[] | null {
  const told = commands.flat().filter((word) => /\s/.test(word))
  return told.reduce<readonly string[] | null>(
    (found, word) => found ?? startedIn(readScript(word).commands, starts),
    null,
  )
}

function bare(words: readonly string[]): readonly string[] | null {
  const [first = ''] = words
  return /^-|^serve$|^[\w.-]+\/[\w.-]+$/.test(first) ? words : null
}

function anotherProgram([first]: readonly string[], { name, usual }: Program): string {
  const what = first === undefined ? 'the text has no command' : `the program is ${first.slice(0, 100)}`
  return `${what}, where one of ${name} is meant: ${usual}`
}

function spelled(word: string, short: Readonly<Record<string, string>>): string {
  const [name = '', ...rest] = word.startsWith('-') ? word.split('=') : [word]
  if (!word.startsWith('-')) return word
  const long = short[name] ?? (name.startsWith('--') ? `--${name.slice(2).replaceAll('_', '-')}` : name)
  return [short[long] ?? long, ...rest].join('=')
}
