/**
 * The commands of a launch script, as far as they can be known without a shell: words without their quotes, with
 * variables and arrays that the script itself sets replaced by their values, `${NAME:-default}` and `$((…))` evaluated.
 * Nothing is run. A variable that the script does not set stays as it is written, so that whoever needs its value sees
 * that there is none. Tests whose words are all known decide which branch is read (branches.ts); of others all branches are read in order,
 * and loops with the first that they go over; `notes` say so. A value that is not known does not replace in a branch one that is.
 */
import { known } from '../../../known.ts'
import { recent } from '../../../recent.ts'
import { calculate } from './calculation.ts'
import { argumentsOf, type Called, calledBy } from './called.ts'
import { carriedIn, givenToContainer } from './carried.ts'
import { type Command, readCommand } from './command.ts'
import type { CutOff } from './cut-off.ts'
import { type Environment, emptyEnvironment, inherited, takesRoom } from './environment.ts'
import { expandedIn } from './expansion.ts'
import { hereDocument, takesScript } from './here-document.ts'
import { giveBack, leaveBehind, passOn } from './left-behind.ts'
import type { Pending } from './pending.ts'
import { isLooseSince, noteUndecided, type Reading, readingOf } from './reading.ts'
import { skipped } from './reserved.ts'
import { firstRound } from './rounds.ts'
import { readsInto, takenApart } from './taken-apart.ts'
import { unclosedQuote } from './unclosed.ts'
import { blanks, toCommand } from './word.ts'

export interface Script {
  readonly commands: readonly (readonly string[])[]
  /** Variables that the script sets, be it for one command alone, with their last values. */
  readonly variables: ReadonlyMap<string, readonly string[]>
  /** Files that the script writes from here-documents (`cat > NAME <<EOF`), by name. */
  readonly documents: ReadonlyMap<string, string>
  readonly notes: readonly string[]
  /** Says where a quote opens that the text does not close; null if none does. */
  readonly unclosed: string | null
  /** Lines of options that no command goes on to. */
  readonly cutOff: readonly CutOff[]
}

/** How deep commands within commands are read. */
const deepest = 4

/** A text as a script, and words that are already apart as its only command. */
export function scriptOf(written: string | readonly string[]): Script {
  if (typeof written === 'string') return readScript(written)
  return {
    commands: [written],
    variables: new Map(),
    documents: new Map(),
    notes: [],
    unclosed: null,
    cutOff: [],
  }
}

/** A launch file is asked for several times, one after another. */
export function readScript(text: string): Script {
  return known(last, text, () => readAnew(text))
}

const last = recent<Script>(1)

function readAnew(text: string): Script {
  const environment = emptyEnvironment()
  const reading = readWithin(text, 0, environment)
  const { commands, variables, passed, notes } = reading
  // What nothing here calls comes before what is started.
  const started = commands.splice(0)
  for (const body of environment.functions.uncalled()) readInside(reading, body)
  for (const one of started) commands.push(one)
  const all = new Map([...variables.all, ...passed])
  const documents = environment.documents.all
  const unclosed = unclosedQuote(reading.here)
  const unparsed = unclosed ?? reading.branches.unended()
  if (unparsed !== null) notes.add(`${unparsed}: a shell does not run it`)
  return { commands, variables: all, documents, notes: [...notes], unclosed, cutOff: reading.cutOff.all }
}

function readWithin(text: string, depth: number, environment: Environment): Reading {
  const reading = readingOf(text, depth, environment)
  const { here, branches } = reading
  while (here.at < text.length) {
    readStatement(reading)
    if (text[here.at - 1] !== ';' || text[here.at] !== ';') continue
    here.at++
    branches.end()
  }
  return reading
}

/** Reads the definition of a function, or a command with the tests in front of it. */
function readStatement(reading: Reading): void {
  const { here, branches, environment } = reading
  blanks(here)
  const defined = branches.awaitsPattern() ? null : reading.definedAt(here.at)
  if (defined) {
    here.at = defined.after
    if (branches.runs()) environment.functions.define(defined.name, defined.body)
    return
  }
  const command = readCommand(reading)
  const { words, from, ended, sign } = command
  const [first] = words
  const known = !isLooseSince(reading, from)
  if (branches.awaitsPattern() || first === 'case') {
    branches.choose(words, ended === ')', known)
    if (branches.isOpen()) noteUndecided(reading)
    return
  }
  const [set] = command.own.keys()
  if (first !== undefined && branches.runs()) reading.cutOff.take(words, from, ended)
  else if (set !== undefined && branches.runs()) reading.cutOff.assign(set, from, ended)
  readDocuments(reading, command)
  setByReading(reading, command)
  if (first !== undefined && !skipped.has(first) && branches.runs()) start(reading, command, first)
  // What a command comes to is not known, but that one is tried before another means that it should succeed.
  if (sign !== null && reading.pending.length === 0) toCommand(here)
  if (sign !== null || !'|('.includes(ended))
    branches.past(sign, first === undefined || sign === '||' || null)
}

/** Takes the here-documents of a command, which begin below the end of its line. */
function readDocuments(reading: Reading, { words, opened, written, ended, sign }: Command): void {
  const { pending, branches } = reading
  const file = words[0] === 'tee' ? { name: words.at(-1) ?? '', adds: words.includes('-a') } : written
  const runs = branches.runs()
  const into = { file: runs ? file : null, words: runs ? words : [] }
  // What is printed into a command (`cat <<EOF | bash`) is what that one is given.
  const own = [...pending.splice(pending.length - reading.piped).map((one) => one.opened), ...opened]
  pending.push(...own.map((one) => ({ opened: one, ...into })))
  reading.piped = ended === '|' && sign === null ? own.length : 0
  if (ended === '\n') for (const one of pending.splice(0)) readDocument(reading, one)
}

function readDocument(reading: Reading, { opened, file, words }: Pending): void {
  const { here, variables } = reading
  const { documents } = reading.environment
  const { whole, after } = hereDocument(here.text, here.at, opened)
  here.at = after
  const takes = readsInto.has(words[0] ?? '')
  if (file === null && !takes && !takesScript(words)) return
  const filled = opened.expands ? expandedIn(whole, variables) : whole
  if (takes) takeApart(reading, words, filled)
  else if (file) documents.write(file.name, (file.adds ? (documents.all.get(file.name) ?? '') : '') + filled)
  else readInside(reading, filled)
}

/** Sets what a loop goes over first, what `read` takes from a text that it is given, and what `let` calculates. */
function setByReading(reading: Reading, { words, given }: Command): void {
  const { variables, notes } = reading
  const rounds = firstRound(words, variables)
  if (rounds !== null) notes.add(rounds)
  if (words[0] === 'let') for (const expression of words.slice(1)) calculate(reading, expression)
  if (given !== null) takeApart(reading, words, given)
}

function takeApart({ variables }: Reading, words: readonly string[], given: string): void {
  const [separators = ' '] = variables.read('IFS') ?? []
  for (const [name, values] of takenApart(words, given, separators)) variables.set(name, values)
}

/** Takes a command that runs, with what it starts in its turn. */
function start(reading: Reading, { words, own }: Command, first: string): void {
  const { commands, environment, variables } = reading
  const given = () => new Map(argumentsOf(words.slice(1)))
  const isOwn = environment.functions.call(first, (body) => readInside(reading, body, given(), 'function'))
  if (!isOwn) commands.push(words)
  if (first === 'set' && words[1] === '--') takeArguments(reading, words.slice(2))
  if (first === 'shift') takeArguments(reading, variables.all.get('@')?.slice(Number(words[1] ?? 1)))
  for (const carried of carriedIn(words)) readInside(reading, carried, new Map(givenToContainer(words)))
  const called = calledBy(words, environment.documents)
  if (called) readInside(reading, called.text, called.given, called.how)
  giveBack(reading, own)
}

/** Takes words as the script's arguments. */
function takeArguments({ variables }: Reading, words: readonly string[] | undefined): void {
  for (const [name, value] of words ? argumentsOf(words) : []) variables.set(name, value)
}

/** Reads what a command starts. */
function readInside(
  reading: Reading,
  inner: string,
  given: Environment['variables'] = new Map(),
  how: Called['how'] | 'function' = 'started',
): void {
  const { depth, environment, variables, loose, commands, notes, cutOff } = reading
  const isFunction = how === 'function'
  if (depth >= deepest && !isFunction) return
  if (!takesRoom(environment, inner, variables.all.size)) {
    notes.add('what its scripts call is too long: not all of it is read')
    return
  }
  const locals = isFunction ? new Map() : how === 'sourced' ? reading.locals : null
  const own = { variables: inherited(variables.all, given, how === 'sourced'), loose, locals }
  const read = readWithin(inner, isFunction ? depth : depth + 1, { ...environment, ...own })
  for (const one of read.commands) commands.push(one)
  for (const note of read.notes) notes.add(note)
  cutOff.add(read.cutOff.all)
  if (how === 'started') passOn(reading, [...read.variables.all, ...read.passed])
  else leaveBehind(reading, read, isFunction ? locals : null)
}
