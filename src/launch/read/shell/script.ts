/**
 * The commands of a launch script, as far as they can be known without a shell: words without their quotes, with
 * variables and arrays that the script itself sets replaced by their values, `${NAME:-default}` and `$((…))` evaluated.
 * Nothing is run. A variable that the script does not set stays as it is written, so that whoever needs its value sees
 * that there is none. Tests whose words are all known decide which branch is read (branches.ts); of others all branches are read in order,
 * and loops with the first that they go over; `notes` say so. A value that is not known does not replace in a branch one that is.
 */
import { assignment } from './assignment.ts'
import { branchesOf } from './branches.ts'
import { argumentsOf, calledBy } from './called.ts'
import { carriedIn } from './carried.ts'
import { type Environment, emptyEnvironment, inherited } from './environment.ts'
import { expandedIn, openIn } from './expansion.ts'
import { hereDocument, type Opened, takesScript } from './here-document.ts'
import { redirection, type Written } from './redirection.ts'
import { deciding, declaring, dropped, skipped, testing } from './reserved.ts'
import { slurmVariables } from './slurm.ts'
import { takenApart } from './taken-apart.ts'
import { shellVariables } from './variables.ts'
import { blanks, type Reader, toLineEnd, word } from './word.ts'

export interface Script {
  readonly commands: readonly (readonly string[])[]
  /** Variables that the script sets, be it for one command alone, with their last values. */
  readonly variables: ReadonlyMap<string, readonly string[]>
  /** Files that the script writes from here-documents (`cat > NAME <<EOF`), by name. */
  readonly documents: ReadonlyMap<string, string>
  readonly notes: readonly string[]
}

/** How deep commands within commands are read. */
const deepest = 3

/** A text as a script, and words that are already apart as its only command. */
export function scriptOf(written: string | readonly string[]): Script {
  if (typeof written === 'string') return readScript(written)
  return { commands: [written], variables: new Map(), documents: new Map(), notes: [] }
}

/** A here-document that follows its line. */
interface Pending {
  readonly opened: Opened
  readonly file: Written | null
  /** Whether it is a script that the command starts. */
  readonly starts: boolean
}

export function readScript(text: string): Script {
  return readWithin(text, 0, emptyEnvironment())
}

function readWithin(
  text: string,
  depth: number,
  environment: Environment,
): Script & Pick<Environment, 'loose'> {
  const commands: (readonly string[])[] = []
  const notes = new Set<string>()
  const branches = branchesOf()
  const all = shellVariables(() =>
    notes.add('what its variables stand for is too long: not all of it is read'),
  )
  const variables = {
    ...all,
    set: (name: string, value: readonly string[]) => (branches.runs() ? all.set(name, value) : undefined),
  }
  const loose = new Set(environment.loose)
  /** The values of variables that a command had for itself. */
  const passed = new Map<string, readonly string[]>()
  for (const [name, value] of environment.variables) variables.set(name, value)
  const told = (name: string) => environment.variables.get(name)?.[0]
  for (const [name, value] of slurmVariables(text, told)) variables.set(name, [value])
  const documents = new Map(environment.documents)
  const pending: Pending[] = []
  /** How many of them the last command prints into what follows. */
  let piped = 0
  const { room } = environment
  const here: Reader = { text, variables, at: 0 }

  while (here.at < text.length) {
    statement()
    if (text[here.at - 1] !== ';' || text[here.at] !== ';') continue
    here.at++
    branches.end()
  }
  return { commands, variables: new Map([...variables.all, ...passed]), documents, notes: [...notes], loose }

  function statement(): void {
    const words: string[] = []
    const opened: Opened[] = []
    let declares = false
    let written: Written | null = null
    let given: string | null = null
    let ended = ''
    const from = here.at
    const own = new Map<string, readonly string[] | undefined>()
    for (;;) {
      blanks(here)
      const next = text[here.at]
      if (next === undefined) break
      if ('\n;&|()'.includes(next)) {
        here.at++
        ended = next
        break
      }
      if (next === '#') {
        toLineEnd(here)
        continue
      }
      const [stream = ''] = /^\d{1,3}(?=[<>])/.exec(text.slice(here.at, here.at + 4)) ?? []
      if (next === '<' || next === '>' || stream !== '') {
        here.at += stream.length
        const said = redirection(here)
        if (said && 'name' in said) written = stream === '' || stream === '1' ? said : written
        else if (said && 'given' in said) given = said.given
        else if (said) opened.push(said)
        continue
      }
      const awaits = branches.awaitsPattern()
      const set = !awaits && (words.length === 0 || declares) ? assigned() : null
      if (set) {
        if (!declares && !own.has(set.name)) own.set(set.name, set.before)
        continue
      }
      const fields = word(here)
      const [only = ''] = fields
      if (words.length === 0 && fields.length === 1 && (!awaits || only === 'esac')) {
        if (declaring.has(only)) {
          declares = true
          continue
        }
        branches.meet(only)
        if (dropped.has(only)) continue
        if (skipped.has(only) && !deciding.has(only)) undecided()
      }
      words.push(...fields)
    }
    const [first] = words
    if (branches.awaitsPattern() || first === 'case') {
      branches.choose(words, ended === ')', !isLoose(text.slice(from, here.at)))
      if (branches.isOpen()) undecided()
      return
    }
    if (first !== undefined && testing.has(first)) {
      const joined = /[&|(]/.test(text[here.at - 1] ?? '')
      branches.test(words.slice(1), !joined && !isLoose(text.slice(from, here.at)))
      if (branches.isOpen()) undecided()
    }
    const file = first === 'tee' ? { name: words.at(-1) ?? '', adds: words.includes('-a') } : written
    const runs = branches.runs()
    const into = { file: runs ? file : null, starts: runs && takesScript(words) }
    // What is printed into a command (`cat <<EOF | bash`) is what that one is given.
    const documented = [...pending.splice(pending.length - piped).map((one) => one.opened), ...opened]
    pending.push(...documented.map((one) => ({ opened: one, ...into })))
    piped = ended === '|' ? documented.length : 0
    if (ended === '\n') for (const one of pending.splice(0)) document(one)
    if (first === 'for') firstRound(words)
    if (given !== null) {
      const [separators = ' '] = variables.read('IFS') ?? []
      for (const [name, values] of takenApart(words, given, separators)) variables.set(name, values)
    }
    if (first === undefined || skipped.has(first) || !branches.runs()) return
    commands.push(words)
    if (first === 'set' && words[1] === '--') take(words.slice(2))
    if (first === 'shift') take(variables.all.get('@')?.slice(Number(words[1] ?? 1)))
    for (const carried of carriedIn(words)) readInside(carried)
    const called = calledBy(words, documents)
    if (called) readInside(called.text, called.given, called.sourced)
    giveBack(own)
  }

  /** Takes words as the script's arguments. */
  function take(words: readonly string[] | undefined): void {
    for (const [name, value] of words ? argumentsOf(words) : []) variables.set(name, value)
  }

  /** Reads what a command starts; what it sources leaves its variables behind. */
  function readInside(inner: string, given: Environment['variables'] = new Map(), sourced = false): void {
    room.left -= inner.length
    if (room.left < 0) notes.add('what its scripts call is too long: not all of it is read')
    if (depth >= deepest || room.left < 0) return
    const own = inherited(variables.all, given, sourced)
    const read = readWithin(inner, depth + 1, { variables: own, loose, documents, room })
    commands.push(...read.commands)
    for (const note of read.notes) notes.add(note)
    for (const [name, whole] of read.documents) documents.set(name, whole)
    for (const [name, value] of read.variables) {
      if (sourced) variables.set(name, value)
      else if (!variables.all.has(name)) passed.set(name, value)
    }
    if (sourced) for (const name of read.loose) loose.add(name)
  }

  /** Variables that were set before a command on its line are its own. */
  function giveBack(own: ReadonlyMap<string, readonly string[] | undefined>): void {
    for (const [name, before] of own) {
      passed.set(name, variables.all.get(name) ?? [])
      if (before) variables.set(name, before)
      else variables.drop(name)
    }
  }

  function undecided(): void {
    if (branches.runs()) notes.add('conditions and loops are not decided: each branch is read once, in order')
  }

  /** Whether a text names a variable that may have other values. */
  function isLoose(written: string): boolean {
    return (written.match(/[A-Za-z_]\w*/g) ?? []).some((name) => loose.has(name))
  }

  /** `for NAME in …` sets the name to the first item, unless that is not known. */
  function firstRound([, name, preposition, ...items]: readonly string[]): void {
    const [item] = items
    if (name === undefined || preposition !== 'in' || item === undefined || /[$`*]/.test(item)) return
    variables.set(name, [item])
    if (items.length > 1)
      notes.add(`of the ${items.length} rounds for ${name} the first is read: ${item.slice(0, 100)}`)
  }

  function document({ opened, file, starts }: Pending): void {
    const { whole, after } = hereDocument(text, here.at, opened)
    here.at = after
    if (file === null && !starts) return
    const filled = opened.expands ? expandedIn(whole, variables) : whole
    if (file) documents.set(file.name, (file.adds ? (documents.get(file.name) ?? '') : '') + filled)
    else readInside(filled)
  }

  /** Reads an assignment, and returns the name with its value from before; null, and reads nothing, if there is none. */
  function assigned(): { readonly name: string; readonly before: readonly string[] | undefined } | null {
    const found = assignment(here)
    if (!found) return null
    const { name, value: joined, from } = found
    const last = variables.all.get(name)
    // A branch that needs what the script does not set is one that whoever starts it asks for: without it the value from before counts.
    if (branches.inDoubt() && variables.all.has(name) && openIn(joined) !== null)
      notes.add(`${name} keeps the value from before a condition, as the text does not set ${openIn(joined)}`)
    else variables.set(name, joined)
    if (branches.runs()) {
      passed.delete(name)
      if (branches.isLoose() || isLoose(text.slice(from, here.at))) loose.add(name)
      else loose.delete(name)
    }
    return { name, before: last }
  }
}
