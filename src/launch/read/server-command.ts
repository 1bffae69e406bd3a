/** Options of a server's command, each under one spelling: short names and names with underscores become long names with hyphens. */
import { compact } from '../../compact.ts'
import { ofFirstNode } from './leading.ts'
import { ofPhase, onePhaseOf } from './one-phase.ts'
import { type Options, optionsOf } from './options.ts'
import { type Program, serverPrograms } from './server-programs.ts'
import { readScript } from './shell/script.ts'
import { unlikeLast } from './unlike.ts'

export interface ServerCommand {
  readonly options: Options
  /** The model, if it stands right behind the command. */
  readonly model: string | null
  /** Whether the text has a command, and not options alone. */
  readonly starts: boolean
  /** Of the script that starts it. */
  readonly variables: ReadonlyMap<string, readonly string[]>
  readonly notes: readonly string[]
  /** Servers beside the one that is read which are another than it: nothing of them is read. */
  readonly unread: readonly string[]
  /** Why the server does not do both phases; null if it may. */
  readonly onePhase: string | null
  /** Says if the command starts another program. */
  readonly faults: readonly string[]
}

/** The last command of a script, of those for the phase that is asked and of them those of first nodes, that starts the program; a text of options alone, or of a model and options, counts as well. */
export function serverCommand(
  text: string,
  program: Program,
  short: Readonly<Record<string, string>>,
  mode: string | null = null,
): ServerCommand {
  const { commands, variables, notes: told, unclosed } = readScript(text)
  const started = startedIn(commands, program.starts)
  const servers = started.length > 0 || !program.image ? started : startedIn(commands, program.image)
  const ofOwn = ofPhase(servers, mode)
  const leading = ofFirstNode(ofOwn, (word) => spelled(word, short))
  const words = leading.at(-1) ?? bare(commands.flat())
  if (words === null)
    return {
      ...nothing,
      starts: false,
      variables,
      notes: told,
      faults: [anotherProgram(commands, program, unclosed)],
    }
  const notes = [...told, ...whichIsRead(program, [servers, ofOwn, leading])]
  const own = words.flatMap((word) => (word === 'serve' ? [] : [spelled(word, short)]))
  const [model] = own
  const named = model !== undefined && !model.startsWith('-')
  return {
    options: optionsOf(named ? own.slice(1) : own),
    model: named ? model : null,
    starts: servers.length > 0,
    variables,
    notes,
    unread: unlikeLast(leading, (word) => spelled(word, short)),
    onePhase: onePhaseOf(words, servers),
    faults: [],
  }
}

/** Of commands, those of a phase and of these those of first nodes; nothing where all are alike. */
function whichIsRead({ name }: Program, narrower: readonly Commands[]): readonly string[] {
  const [all = 0, phase = 0, leading = 0] = narrower.map(
    (some) => new Set(some.map((one) => one.join(' '))).size,
  )
  if (all <= 1) return []
  const whose = compact(phase < all && 'the phase', leading < phase && 'the first node').join(' and ')
  const of = whose === '' ? '' : ` of ${whose}`
  const which = of === '' || leading > 1 ? `the last${of}` : `that${of}`
  return [`of ${all} commands that start ${name} ${which} is read`]
}

/** The fault of a file of options that is not in the text: what it has is put into the command before that is read. */
export function unsentOptions(options: Options): string | null {
  const name = options.text('--config')?.slice(0, 100)
  if (name === undefined) return null
  return `options are in ${name}, which is not here: write it in the same text (cat > ${name} <<'EOF' … EOF), or its options in the command`
}

type Commands = readonly (readonly string[])[]

const nothing = { options: optionsOf([]), model: null, onePhase: null, unread: [] }

/** The words behind the one that matches, of each command that has one. What a word carries as a whole (`bash -c '…'`) is a command of its own. */
function startedIn(commands: Commands, starts: RegExp): Commands {
  return commands.flatMap((command) => {
    const isStart = (word: string, index: number) => starts.test(`${word} ${command[index + 1] ?? ''}`)
    const at = command.findIndex((word, index) => !/\s/.test(word) && isStart(word, index))
    return at < 0 ? [] : [command.slice(at + 1)]
  })
}

function bare(words: readonly string[]): readonly string[] | null {
  const [first = ''] = words
  return /^-|^serve$|^[\w.-]+\/[\w.-]+$/.test(first) ? words : null
}

/** Programs that start nothing. */
const aside = /^(cat|set|cd|echo|mkdir|export|source|\.|wait|sleep)$/

function anotherProgram(commands: Commands, { name, usual }: Program, unclosed: string | null): string {
  // Of a container it is the image that tells the program.
  const started = commands.flatMap((words) => words.slice(0, words[0] === 'docker' ? 3 : 1).join(' ') || [])
  const [first] = started.filter((words) => !aside.test(words))
  const other = Object.values(serverPrograms).find(({ starts }) => startedIn(commands, starts).length > 0)
  if (other) return `it starts a server of ${other.name}, where one of ${name} is meant: ${usual}`
  if (unclosed !== null) return `${unclosed}: no command of ${name} is in front of it`
  const what = first === undefined ? 'the text has no command' : `the program is ${first.slice(0, 100)}`
  return `${what}, where one of ${name} is meant: ${usual}`
}

function spelled(word: string, short: Readonly<Record<string, string>>): string {
  const [name = '', ...rest] = word.startsWith('-') ? word.split('=') : [word]
  if (!word.startsWith('-')) return word
  const long = short[name] ?? (name.startsWith('--') ? `--${name.slice(2).replaceAll('_', '-')}` : name)
  return [short[long] ?? long, ...rest].join('=')
}
