/**
 * Reads a command of torchtitan. One of its release names a file of settings, which the script writes (files of the command line stand in
 * front of it so), and dotted options override them. One of main names a config: its settings, overridden by dotted options, are
 * translated to those of the release (of-main.ts), which read.ts reads. The inverse of overrides.ts, with the same source.
 */
import { compact } from '../../../compact.ts'
import { type Fields, isFields, present } from '../../../fields.ts'
import { optionsOf } from '../../read/options.ts'
import type { LaunchReading, ReadingContext } from '../../read/reading.ts'
import { readScript } from '../../read/shell/script.ts'
import { ofOneNode, worldOf } from '../../read/world.ts'
import { moduleNamed, type Registered, registered } from '../registry.ts'
import { torchtitanMain } from '../version.ts'
import { dotted, type Given, misdashedIn, sectionsGiven } from './dotted.ts'
import { besideSettings, sectionsOf } from './of-main.ts'
import { ownConfig } from './own-config.ts'
import { readTorchtitan } from './read.ts'
import { unreadConfig } from './unread-config.ts'

/** What starts torchtitan: its module, the file of that, or its script. */
export const startsTorchtitan = /\btorchtitan(\.train\b|\/train\.py\b)|\brun_train\.sh\b/

/** Takes a command or a script; run_train.sh takes from the environment what to run. */
export function readTorchtitanCommand(
  text: string,
  { chips, chip }: Pick<ReadingContext, 'chips' | 'chip'>,
  parse: (toml: string) => Fields,
): LaunchReading {
  const { commands, variables, documents, notes } = readScript(text)
  const isProgram = (word: string) => startsTorchtitan.test(word)
  const words = commands.findLast((command) => command.some(isProgram)) ?? []
  const start = words.findIndex(isProgram)
  const launcher = optionsOf(words.slice(0, start))
  const said = (name: string) => variables.get(name)?.[0]
  const given = new Map<string, string | true>([
    ...(said('MODULE') ? [['module', said('MODULE') ?? ''] as const] : []),
    ...(said('CONFIG') ? [['config', said('CONFIG') ?? ''] as const] : []),
    ...dotted(words.slice(start)),
  ])
  const each = said('NGPU')
  const started = worldOf(launcher) ?? (each && /^[1-9]\d{0,5}$/.test(each) ? Number(each) : null)
  const world = started ?? (chips === null ? ofOneNode(launcher) : null)
  const hardware = world === null ? {} : { chips: world }
  const file = given.get('job.config_file') ?? said('CONFIG_FILE')
  const settings = typeof file === 'string' ? writtenAs(file, documents) : null
  if (settings !== null) {
    const reading = readTorchtitan(overridden(parse(settings), given), world ?? chips)
    const misdashed = misdashedIn(words.slice(start + 1), reading)
    return { ...reading, ...misdashed, hardware, notes: compact(notes, reading.notes) }
  }
  const own = ownConfig(given.get('module'), documents)
  const base = own?.base ?? configNamed(given)
  const sections = sectionsOf(base, given, words)
  const config = { ...sections, parallelism: { ...sections.parallelism, ...own?.parallelism } }
  const { furtherLayers, ...reading } = readTorchtitan(config, world ?? chips)
  const { costed, ...beside } = besideSettings(base, given, chip)
  const open = base || typeof file === 'string' ? null : unreadConfig(given, words)
  return {
    ...reading,
    ...misdashedIn(words.slice(start + 1), reading),
    version: torchtitanMain,
    ...(base?.spec?.further ? {} : present({ furtherLayers })),
    hardware,
    ...(costed ? { costed: { ...reading.costed, ...costed } } : {}),
    refusals: beside.refusals,
    uncounted: compact(reading.uncounted, beside.uncounted),
    notes: compact(notes, reading.notes, beside.notes, open?.notes),
    doubts: compact(reading.doubts, open?.doubts),
    unheld: compact(reading.unheld, open?.unheld),
    // Its flavor is that of a config, which main has under a name.
    unregistered: open?.unregistered ?? [],
    faults: compact(typeof file === 'string' && elsewhere(file), reading.faults, open?.faults),
  }
}

/** Commands that leave the module out are told apart by their config: no two modules have one of the same name. */
function configNamed(given: Given): Registered | undefined {
  const module = given.get('module')
  const isMeant = (name: string) => typeof module !== 'string' || moduleNamed(module) === name
  return registered.find((row) => row.config === given.get('config') && isMeant(row.module))
}

/** The last release keeps its settings in a file: without it a command says nothing of the plan. */
function elsewhere(file: string): string {
  return `its settings are in ${file.slice(0, 100)}, which is not here: send what is in that file, {"torchtitan": "[model] …"}, or let the same text write it (cat > FILE <<'EOF')`
}

function writtenAs(file: string, documents: ReadonlyMap<string, string>): string | null {
  const nameOf = (path: string) => path.replace(/^.*\//, '')
  const [, text = null] = [...documents].findLast(([own]) => nameOf(own) === nameOf(file)) ?? []
  return text
}

/** A config with dotted options in place of what it says. */
function overridden(config: Fields, given: Given): Fields {
  const dotted = sectionsGiven(given, ['job.config_file'])
  const sections = Object.entries(dotted).map(([name, own]) => {
    const before = config[name]
    return [name, isFields(before) ? { ...before, ...own } : own]
  })
  return { ...config, ...Object.fromEntries(sections) }
}
