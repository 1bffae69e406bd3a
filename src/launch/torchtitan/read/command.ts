/**
 * Reads a command of torchtitan. One of its release names a file of settings, which the script writes (files of the command line stand in
 * front of it so), and dotted options override them. One of main names a config: its settings, overridden by dotted options, are
 * translated to those of the release, which read.ts reads. The inverse of overrides.ts, with the same source.
 */
import { compact } from '../../../compact.ts'
import { type Fields, isFields } from '../../../fields.ts'
import { dashesOf, isOption, isOtherwiseDashed } from '../../read/dashes.ts'
import { optionsOf } from '../../read/options.ts'
import type { LaunchReading, Misdashed } from '../../read/reading.ts'
import { readScript } from '../../read/shell/script.ts'
import { worldOf } from '../../read/world.ts'
import { type Registered, registered } from '../registry.ts'
import { torchtitanMain } from '../version.ts'
import { ownConfig } from './own-config.ts'
import { readTorchtitan } from './read.ts'

/** What starts torchtitan: its module, the file of that, or its script. */
export const startsTorchtitan = /\btorchtitan(\.train\b|\/train\.py\b)|\brun_train\.sh\b/

/** Takes a command or a script; run_train.sh takes from the environment what to run. */
export function readTorchtitanCommand(
  text: string,
  chips: number | null,
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
  const world = worldOf(launcher) ?? (each && /^[1-9]\d{0,5}$/.test(each) ? Number(each) : null)
  const hardware = world === null ? {} : { chips: world }
  const file = given.get('job.config_file') ?? said('CONFIG_FILE')
  const settings = typeof file === 'string' ? writtenAs(file, documents) : null
  if (settings !== null) {
    const reading = readTorchtitan(overridden(parse(settings), given), world ?? chips)
    const misdashed = misdashedIn(words.slice(start + 1), reading)
    return { ...reading, ...misdashed, hardware, notes: compact(notes, reading.notes) }
  }
  const own = ownConfig(given.get('module'), documents)
  const base = own?.base ?? registered.find(({ config }) => config === given.get('config'))
  const sections = sectionsOf(base, given, recomputationOf(words, base))
  const config = { ...sections, parallelism: { ...sections.parallelism, ...own?.parallelism } }
  const reading = readTorchtitan(config, world ?? chips)
  const named = `${given.get('module') ?? 'no module'}, ${given.get('config') ?? 'no config'}`
  const { expert, tensor } = degreesOf(given, base)
  const apart = tensor > 1 && /^false$/i.test(String(given.get(sequenceKey)))
  return {
    ...reading,
    ...misdashedIn(words.slice(start + 1), reading),
    version: torchtitanMain,
    model: base ? reading.model : null,
    // Its flavor is that of a config, which main has under a name.
    unregistered: [],
    hardware,
    ...(apart ? { costed: { ...reading.costed, residual: 'whole' } } : {}),
    notes: compact(
      notes,
      reading.notes,
      apart &&
        `${sequenceKey} is false: costed as if each tensor rank kept, normed and summed the whole residual stream (assumptions.residual whole)`,
      !base && `the config ${named} is not known: what it sets itself is taken for the defaults`,
    ),
    faults: compact(
      typeof file === 'string' && elsewhere(file),
      reading.faults,
      expert > 1 &&
        tensor > 1 &&
        'main takes the ranks of experts from tensor first: such experts are not counted',
    ),
  }
}

const sequenceKey = 'parallelism.enable_sequence_parallel'

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
function overridden(config: Fields, given: ReadonlyMap<string, string | true>): Fields {
  const dotted = sectionsGiven(given, ['job.config_file'])
  const sections = Object.entries(dotted).map(([name, own]) => {
    const before = config[name]
    return [name, isFields(before) ? { ...before, ...own } : own]
  })
  return { ...config, ...Object.fromEntries(sections) }
}

/** What options say, by section and key. */
function sectionsGiven(
  given: ReadonlyMap<string, string | true>,
  apart: readonly string[],
): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const sections: Record<string, Record<string, unknown>> = {}
  for (const [name, value] of given) {
    const at = name.indexOf('.')
    if (apart.includes(name)) continue
    const [section, key] = at < 0 ? ['command', name] : [name.slice(0, at), name.slice(at + 1)]
    sections[section] = { ...sections[section], [key]: plain(value) }
  }
  return sections
}

function degreesOf(given: ReadonlyMap<string, string | true>, base: Registered | undefined) {
  const degree = (axis: 'expert' | 'tensor') =>
    Number(given.get(`parallelism.${axis}_parallel_degree`) ?? base?.[axis] ?? 1)
  return { expert: degree('expert'), tensor: degree('tensor') }
}

function sectionsOf(
  base: Registered | undefined,
  given: ReadonlyMap<string, string | true>,
  recomputation: string,
): Readonly<Record<string, Fields>> {
  const sections = sectionsGiven(given, ['module', 'config', ...translated])
  const number = (name: string, otherwise: number) => Number(given.get(name) ?? otherwise)
  const length = number('training.max_context_length', base?.context ?? 2048)
  const tokens = number('training.num_tokens_per_microbatch_per_dp_rank', base?.tokens ?? 16_384)
  const step = number('training.num_tokens_per_train_step', -1)
  const piped = number('parallelism.num_pp_microbatches', 1)
  const pipeline = number('parallelism.pipeline_parallel_degree', 1)
  const { expert, tensor } = degreesOf(given, base)
  const [microbatch, batch] = [tokens / length, step < 0 ? -1 : step / length]
  return {
    ...sections,
    model: {
      name: base?.module,
      flavor: base?.flavor ?? 'of another config',
      ...(base?.fp8 ? { converters: ['quantize.linear.float8'] } : {}),
    },
    training: {
      ...sections.training,
      seq_len: length,
      local_batch_size: pipeline > 1 ? microbatch * piped : microbatch,
      global_batch_size: batch,
    },
    parallelism: {
      ...(base?.interleaved ? { pipeline_parallel_schedule: 'Interleaved1F1B' } : {}),
      ...sections.parallelism,
      tensor_parallel_degree: tensor,
      expert_parallel_degree: expert,
      expert_tensor_parallel_degree: tensor,
      ...(pipeline > 1 ? { pipeline_parallel_microbatch_size: microbatch } : {}),
    },
    activation_checkpoint: {
      ...sections.activation_checkpoint,
      mode: recomputation,
      selective_ac_option: 'op',
    },
  }
}

/** Options that the release has under other names, or not at all. */
const translated = [
  ...['max_context_length', 'num_tokens_per_microbatch_per_dp_rank', 'num_tokens_per_train_step'].map(
    (key) => `training.${key}`,
  ),
  ...['training.disable_cuda_graphs', 'parallelism.num_pp_microbatches', 'parallelism.spmd_backend'],
  ...[sequenceKey, 'parallelism.enable_fsdp_symm_mem'],
]

function recomputationOf(words: readonly string[], base: Registered | undefined): string {
  const word = words.findLast((one) => /^activation[-_]checkpoint:/.test(one))
  return word?.slice(word.indexOf(':') + 1).replaceAll('-', '_') ?? base?.recomputation ?? 'selective'
}

/** The last value given for each option; an option without a value is a switch. */
function dotted(words: readonly string[]): ReadonlyMap<string, string | true> {
  const found = new Map<string, string | true>()
  words.forEach((word, at) => {
    if (!word.startsWith('--')) return
    const [name = '', ...rest] = word.slice(2).split('=')
    const next = words[at + 1]
    const value = next === undefined || next.startsWith('--') || next.includes('checkpoint:') ? true : next
    found.set(name.replaceAll('-', '_'), rest.length > 0 ? rest.join('=') : value)
  })
  return found
}

/** Settings that do not begin with two hyphens, with which its parser stops (tyro: "Unrecognized options"). */
function misdashedIn(
  words: readonly string[],
  { known = [] }: LaunchReading,
): Pick<LaunchReading, 'misdashed'> {
  const misdashed = words.flatMap((word, at): readonly Misdashed[] => {
    const [dashes, rest] = dashesOf(word)
    const [option = '', name = ''] = [word, rest].map((one) => one.split('=')[0] ?? '')
    const isKnown = known.includes(name.replaceAll('-', '_'))
    const isValue = isOption(words[at - 1] ?? '') && !words[at - 1]?.includes('=')
    const isWrong = dashes === '' ? isKnown && !isValue : isOtherwiseDashed(word) && name.includes('.')
    return isWrong ? [{ option, meant: isKnown ? `--${name}` : null }] : []
  })
  return misdashed.length > 0 ? { misdashed } : {}
}

function plain(value: string | true): unknown {
  if (value === true) return true
  return /^-?\d+$/.test(value) ? Number(value) : value
}
