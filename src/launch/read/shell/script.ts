/**
 * The commands of a launch script, as far as they can be known without a shell: words without their quotes, with
 * variables and arrays that the script itself sets replaced by their values, `${NAME:-default}` and `$((…))` evaluated.
 * Nothing is run. A variable that the script does not set stays as it is written, so that whoever needs its value sees
 * that there is none. Tests whose words are all known decide which branch is read (branches.ts); of others all branches are read in order,
 * and loops with the first that they go over; `notes` say so. A value that is not known does not replace in a branch one that is.
 */
import { branchesOf } from './branches.ts'
import { carriedIn } from './carried.ts'
import { expandedIn } from './expansion.ts'
import { hereDocument, type Opened } from './here-document.ts'
import { slurmVariables } from './slurm.ts'
import { takenApart } from './taken-apart.ts'
import { shellVariables } from './variables.ts'
import { array, blanks, type Reader, toLineEnd, word } from './word.ts'

export interface Script {
  readonly commands: readonly (readonly string[])[]
  /** Variables that the script sets, be it for one command alone, with their last values. */
  readonly variables: ReadonlyMap<string, readonly string[]>
  /** Files that the script writes from here-documents (`cat > NAME <<EOF`), by name. */
  readonly documents: ReadonlyMap<string, string>
  readonly notes: readonly string[]
}

/** A text behind `<<<`. */
interface Given {
  readonly given: string
}

/** A file that a command writes, or adds to. */
interface Written {
  readonly name: string
  readonly adds: boolean
}

const skipped = new Set(['if', 'elif', 'while', 'until', 'for', 'case', 'select', '[', '[[', 'test'])
const dropped = new Set('then else fi do done esac { } ! exec time nohup sudo'.split(' '))
/** Words behind which a test stands. */
const testing = new Set(['if', 'elif'])
const declaring = new Set(['export', 'local', 'declare', 'readonly', 'typeset'])

/** How deep commands within commands are read. */
const deepest = 3

/** A text as a script, and words that are already apart as its only command. */
export function scriptOf(written: string | readonly string[]): Script {
  if (typeof written === 'string') return readScript(written)
  return { commands: [written], variables: new Map(), documents: new Map(), notes: [] }
}

/** `environment` has variables that are set before the script starts. */
export function readScript(
  text: string,
  depth = 0,
  environment: ReadonlyMap<string, readonly string[]> = new Map(),
): Script {
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
  /** Variables that decide no test, as they may have other values. */
  const loose = new Set<string>()
  /** The values of variables that a command had for itself. */
  const passed = new Map<string, readonly string[]>()
  for (const [name, value] of environment) variables.set(name, value)
  for (const [name, value] of slurmVariables(text)) variables.set(name, [value])
  const documents = new Map<string, string>()
  const pending: { readonly opened: Opened; readonly file: Written | null }[] = []
  const here: Reader = { text, variables, at: 0 }

  while (here.at < text.length) statement()
  return { commands, variables: new Map([...variables.all, ...passed]), documents, notes: [...notes] }

  function statement(): void {
    const words: string[] = []
    const opened: Opened[] = []
    let declares = false
    let written: Written | null = null
    let given: string | null = null
    let endsLine = false
    const from = here.at
    const own = new Map<string, readonly string[] | undefined>()
    for (;;) {
      blanks(here)
      const next = text[here.at]
      if (next === undefined) break
      if ('\n;&|()'.includes(next)) {
        here.at++
        endsLine = next === '\n'
        break
      }
      if (next === '#') {
        toLineEnd(here)
        continue
      }
      const [stream = ''] = /^\d{1,3}(?=[<>])/.exec(text.slice(here.at, here.at + 4)) ?? []
      if (next === '<' || next === '>' || stream !== '') {
        here.at += stream.length
        const said = redirection()
        if (said && 'name' in said) written = stream === '' || stream === '1' ? said : written
        else if (said && 'given' in said) given = said.given
        else if (said) opened.push(said)
        continue
      }
      const set = words.length === 0 || declares ? assigned() : null
      if (set) {
        if (!declares && !own.has(set.name)) own.set(set.name, set.before)
        continue
      }
      const fields = word(here)
      const [only = ''] = fields
      if (words.length === 0 && fields.length === 1) {
        if (declaring.has(only)) {
          declares = true
          continue
        }
        branches.meet(only)
        if (dropped.has(only)) continue
        if (skipped.has(only) && !testing.has(only)) undecided()
      }
      words.push(...fields)
    }
    const [first] = words
    if (first !== undefined && testing.has(first)) {
      const joined = /[&|(]/.test(text[here.at - 1] ?? '')
      branches.test(words.slice(1), !joined && !isLoose(text.slice(from, here.at)))
      if (branches.isOpen()) undecided()
    }
    const file = first === 'tee' ? { name: words.at(-1) ?? '', adds: words.includes('-a') } : written
    pending.push(...opened.map((one) => ({ opened: one, file: branches.runs() ? file : null })))
    if (endsLine) for (const { opened: one, file: into } of pending.splice(0)) document(one, into)
    if (first === 'for') firstRound(words)
    if (given !== null) {
      const [separators = ' '] = variables.read('IFS') ?? []
      for (const [name, values] of takenApart(words, given, separators)) variables.set(name, values)
    }
    if (first === undefined || skipped.has(first) || !branches.runs()) return
    commands.push(words)
    for (const carried of depth < deepest ? carriedIn(words) : []) {
      const inner = readScript(carried, depth + 1, variables.all)
      commands.push(...inner.commands)
      for (const note of inner.notes) notes.add(note)
    }
    giveBack(own)
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

  /** The file that is written to, a here-document, or the text that is given. */
  function redirection(): Written | Opened | Given | null {
    const start = here.at
    while (text[here.at] === '<' || text[here.at] === '>' || text[here.at] === '&') here.at++
    const sign = text.slice(start, here.at)
    const indented = sign === '<<' && text[here.at] === '-'
    if (indented) here.at++
    blanks(here)
    const expands = !/['"\\]/.test(text[here.at] ?? '')
    const name = word(here, false).join(' ')
    if (sign === '<<') return { end: name, indented, expands }
    if (sign === '<<<') return { given: name }
    return sign === '>' || sign === '>>' ? { name, adds: sign === '>>' } : null
  }

  function document(opened: Opened, file: Written | null): void {
    const { whole, after } = hereDocument(text, here.at, opened)
    here.at = after
    if (file === null) return
    const before = file.adds ? (documents.get(file.name) ?? '') : ''
    documents.set(file.name, before + (opened.expands ? expandedIn(whole, variables) : whole))
  }

  /** Reads NAME=value, NAME+=value or NAME=( … ), and returns the name with its value from before; null, and reads nothing, if there is none. */
  function assigned(): { readonly name: string; readonly before: readonly string[] | undefined } | null {
    const found = /^([A-Za-z_]\w*)(\+?)=/.exec(text.slice(here.at, here.at + 200))
    const [whole = '', name = '', plus] = found ?? []
    if (!found) return null
    here.at += whole.length
    const [from, last] = [here.at, variables.all.get(name)]
    const value = text[here.at] === '(' ? array(here) : [value_()]
    const before = plus ? (variables.all.get(name) ?? []) : []
    const joined =
      plus && text[here.at - 1] !== ')' && before.length > 0
        ? [before.join(' ') + value.join(' ')]
        : [...before, ...value]
    // A branch that needs what the script does not set is one that whoever starts it asks for: without it the value from before counts.
    if (branches.inDoubt() && variables.all.has(name) && joined.some(isOpen))
      notes.add(
        `${name} keeps the value from before a condition, as the text does not set ${joined.find(isOpen)}`,
      )
    else variables.set(name, joined)
    if (branches.runs()) {
      passed.delete(name)
      if (branches.isLoose() || isLoose(text.slice(from, here.at))) loose.add(name)
      else loose.delete(name)
    }
    return { name, before: last }

    function value_(): string {
      const next = text[here.at]
      return next === undefined || /[\s;&|]/.test(next) ? '' : word(here, false).join(' ')
    }
  }
}

/** Whether a value holds a variable that the script does not set. */
function isOpen(value: string): boolean {
  return /\$\{?[A-Za-z_]/.test(value)
}
