/** The options of a server's command, under one spelling of each: short ones and those with underscores are the long ones with hyphens. */
import { type Options, optionsOf } from './options.ts'
import { readScript } from './shell.ts'

export interface ServerCommand {
  readonly options: Options
  /** The word behind the command, where the model stands there. */
  readonly model: string | null
  readonly notes: readonly string[]
}

/** The last command of a script in which a word matches. */
export function serverCommand(
  text: string,
  starts: RegExp,
  short: Readonly<Record<string, string>>,
): ServerCommand {
  const { commands, notes } = readScript(text)
  const words = commands.findLast((command) => command.some((word) => starts.test(word))) ?? commands.flat()
  const first = words.findIndex((word) => starts.test(word))
  const own = words.slice(first + 1).flatMap((word) => (word === 'serve' ? [] : [spelled(word, short)]))
  const [model] = own
  const named = model !== undefined && !model.startsWith('-')
  return { options: optionsOf(named ? own.slice(1) : own), model: named ? model : null, notes }
}

function spelled(word: string, short: Readonly<Record<string, string>>): string {
  const [name = '', ...rest] = word.startsWith('-') ? word.split('=') : [word]
  if (!word.startsWith('-')) return word
  const long = short[name] ?? (name.startsWith('--') ? `--${name.slice(2).replaceAll('_', '-')}` : name)
  return [short[long] ?? long, ...rest].join('=')
}
