/** Launch files by their key in a plan: how the text of each is parsed, and who reads it. */
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { type Fields, isFields } from '../../../src/fields.ts'
import { remembered } from '../../../src/known.ts'
import { readAccelerate } from '../../../src/launch/accelerate/read.ts'
import { readDeepspeed } from '../../../src/launch/deepspeed/read.ts'
import { readMaxtext } from '../../../src/launch/maxtext/read/read.ts'
import { readMaxtextServer } from '../../../src/launch/maxtext/read/server.ts'
import { undashedSettings } from '../../../src/launch/maxtext/read/undashed.ts'
import { readMegatron } from '../../../src/launch/megatron/read/read.ts'
import { readBridge } from '../../../src/launch/megatron-bridge/read.ts'
import type { LaunchReading, ReadingContext } from '../../../src/launch/read/reading.ts'
import { readScript } from '../../../src/launch/read/shell/script.ts'
import { readSglang } from '../../../src/launch/sglang/read.ts'
import { configNamed, readTensorrt } from '../../../src/launch/tensorrt-llm/read.ts'
import { readTorchtitanCommand, startsTorchtitan } from '../../../src/launch/torchtitan/read/command.ts'
import { readTorchtitan } from '../../../src/launch/torchtitan/read/read.ts'
import { readVllm } from '../../../src/launch/vllm/read.ts'
import { faultyValue } from '../../problems.ts'
import type { LaunchedPlan } from '../../schemas/launch.ts'
import { uncommented } from '../../uncommented.ts'
import { commandsOf } from './manifest.ts'
import { megatronWords, repeatedKeys, wordsOf } from './megatron-yaml.ts'
import { otherLauncher } from './other-launchers.ts'
import { quoted } from './quoted.ts'
import { type Unreadable, yamlValue } from './yaml-value.ts'

export type LaunchKey = keyof LaunchedPlan

type Written<Key extends LaunchKey> = NonNullable<LaunchedPlan[Key]>

const readers: {
  readonly [Key in LaunchKey]-?: (file: Written<Key>, context: ReadingContext) => LaunchReading
} = {
  megatron: (file, { chips, userBuffers, batchAsked, chip, model }) => {
    const isText = typeof file === 'string'
    const reading = readMegatron(isText ? megatronWords(file) : file, chips, null, {
      ...{ userBuffers, batchAsked, chip, hasExperts: model?.experts },
    })
    return isText ? { ...reading, notes: [...repeatedKeys(file), ...reading.notes] } : reading
  },
  megatronBridge: (file, context) => readBridge(file, context),
  torchtitan: (file, context) =>
    startsTorchtitan.test(file)
      ? readTorchtitanCommand(file, context, (text) => parsed('torchtitan', text, parseToml))
      : readTorchtitan(parsed('torchtitan', file, parseToml), context.chips),
  maxtext: (file, context) => {
    const [read, starts] = serves(file, context)
      ? ([readMaxtextServer, engines] as const)
      : ([readMaxtext, trainings] as const)
    const words = settingWords(file, starts)
    const keys = typeof file !== 'string' ? file : words ? settingsIn(words) : fieldsOf('maxtext', file)
    return { ...read(keys, context, hasSettings(file)), undashed: undashedSettings(words ?? [], starts) }
  },
  deepspeed: (file, context) => readDeepspeed(fieldsOf('deepspeed', file), context),
  accelerate: (file, context) => readAccelerate(fieldsOf('accelerate', file), context),
  vllm: (file, context) => readVllm(commandOf('vllm', file, 'vllm serve'), context),
  sglang: (file, context) => readSglang(commandOf('sglang', file, 'sglang.launch_server'), context),
  tensorrtLlm: (file, context) => {
    if (typeof file !== 'string' && ('command' in file || 'config' in file)) {
      const command = file.command === undefined ? null : String(file.command)
      const config =
        file.config === undefined ? null : fieldsOf('tensorrtLlm', file.config as string | Fields)
      return readTensorrt(command, config ?? writtenIn(command ?? '', context), context)
    }
    const isCommand = typeof file === 'string' && (starts.test(file) || !key.test(file))
    return isCommand
      ? readTensorrt(file, writtenIn(file, context), context)
      : readTensorrt(null, fieldsOf('tensorrtLlm', file), context)
  },
}

/** The key of the plan's one framework. */
export function launchKey(plan: LaunchedPlan): LaunchKey {
  const [key] = (Object.keys(readers) as LaunchKey[]).filter((name) => plan[name] !== undefined)
  return key ?? 'megatron'
}

/** Reads the plan's one file, as often as something more is known of the rest of the request. */
export function readerOf(plan: LaunchedPlan): (context: ReadingContext) => LaunchReading {
  const key = launchKey(plan)
  const written: unknown = plan[key]
  const other = typeof written === 'string' ? otherLauncher(written) : null
  if (other !== null) throw faultyValue('invalid-request', { pointer: `/plan/${key}`, detail: other })
  const file = typeof written === 'string' ? commandsOf(written) : written
  return (context) =>
    (readers[key] as (file: unknown, context: ReadingContext) => LaunchReading)(file, context)
}

/** What starts a server of TensorRT-LLM, and what begins a line of its file. */
const starts = /trtllm-serve|dynamo\.trtllm/
const key = /^[ \t{]*["']?[A-Za-z_]\w*["']?:/m

/** What a script writes into the file that its server reads; null if it writes none. */
function writtenIn(script: string, { mode }: ReadingContext): Fields | null {
  const name = configNamed(script, mode)
  const { documents } = readScript(script)
  // A ConfigMap is mounted wherever a container wants it.
  const text = name === null ? undefined : (documents.get(name) ?? documents.get(name.replace(/^.*\//, '')))
  return text === undefined ? null : fieldsOf('tensorrtLlm', unsetAsText(text))
}

/** A file with what only the shell would fill in as text, where it might be no YAML (`[${SIZES}]`, `$((A ? B : C))`). */
function unsetAsText(text: string): string {
  return text.replaceAll(/^([ \t]*(?:- )?[\w.-]+:[ \t]+)([^"'\n]*\$[({\w].*)$/gm, (_, key, value) => {
    return `${key}${JSON.stringify(value.trim())}`
  })
}

/** Answers give argument lists without the command, which are read the same way; so is a file that \`--config\` of the command names. */
function commandOf(key: LaunchKey, file: string | readonly string[], command: string): string {
  if (typeof file === 'string') {
    const config = optionsIn(key, file)
    return config === null ? withConfig(key, file) : commandOf(key, config, command)
  }
  return `${command} ${file.map(quoted).join(' ')}`
}

/** A script with the options of a file that it writes itself in place of the \`--config\` that names the file. */
function withConfig(key: LaunchKey, script: string): string {
  if (!/--config[= ]/.test(script)) return script
  const { documents } = readScript(script)
  const optionsOf = remembered((name: string) => {
    const options = optionsIn(key, documents.get(name) ?? '')
    return options === null ? null : options.map(quoted).join(' ')
  })
  let room = mostPut
  return script.replaceAll(/--config[= ]+['"]?([^\s'"]+)['"]?/g, (written, name) => {
    const options = optionsOf(name) ?? written
    room -= options.length
    return room < 0 ? written : options
  })
}

/** In characters: a script of many commands may name a long file in each of them. */
const mostPut = 1_000_000

/** The words of a file of options, a key each; null for any other text. */
function optionsIn(key: LaunchKey, text: string): readonly string[] | null {
  if (!/^(\s*(#.*|---)\n)*\s*[a-z][\w-]*:(\s|$)/.test(text)) return null
  const keys = Object.entries(parsed(key, text, yamlValue))
  const parts = keys.filter(([, value]) => isFields(value)).map(([name]) => name)
  if (parts.includes('model') || parts.length > keys.length / 2) {
    const detail = `is no file of options, which has a key for each: ${parts.slice(0, 5).join(', ')} hold keys of their own; give the command that starts the server`
    throw faultyValue('invalid-request', { pointer: `/plan/${key}`, detail })
  }
  return keys.flatMap(([name, value]) => wordsOf(`--${name}`, value))
}

/** Whether a file of MaxText is a command with its settings (keys without a text are such settings), and no config. */
function hasSettings(file: string | Fields): boolean {
  return typeof file !== 'string' || /^[^#\n]*\b\w+=\S/m.test(file)
}

const isSetting = (word: string) => /^[a-z]\w*=/.test(word)

/** The words of the command that has the settings (key=value); null for a config. */
function settingWords(file: string | Fields, starts: RegExp): readonly string[] | null {
  if (typeof file !== 'string' || !hasSettings(file)) return null
  const set = readScript(file).commands.filter((command) => command.some(isSetting))
  const isMeant = (command: readonly string[]) => command.some((word) => starts.test(word))
  // Scripts also decode, convert and compare, each with settings of its own.
  const words = set.findLast(isMeant) ?? set.findLast((command) => !command.some((word) => aside.test(word)))
  if (!words && set.length > 0)
    throw faultyValue('invalid-request', { pointer: '/plan/maxtext', detail: onlyAside })
  if (!words) throw faultyValue('invalid-request', { pointer: '/plan/maxtext', detail: noSettings })
  return words
}

function settingsIn(words: readonly string[]): Fields {
  const settings = words.filter(isSetting).map((word) => {
    const at = word.indexOf('=')
    return [word.slice(0, at), scalar(word.slice(at + 1))] as const
  })
  return Object.fromEntries(settings)
}

/** Programs of MaxText: what trains, what serves, and what does neither. */
const trainings = /(^|[./])(pre_train|train|train_compile|train_sft|sft_trainer)(\.py)?$/
const engines = /maxengine|jetstream|(^|[./])decode(\.py)?$/
const aside =
  /(^|[./])(decode|generate_param_only_checkpoint|forward_pass_logit_checker|convert\w*|to_\w+)(\.py)?$/

const onlyAside =
  'starts no training, only decoding or conversions of checkpoints: with mode prefill, generate or serve it is read as a server'

const noSettings =
  'has no settings of MaxText: a command has them as key=value, and a config as a file of its own; what another program fills in from its own tables is not here'

function scalar(text: string): unknown {
  try {
    return parseYaml(text.slice(0, 2000), { maxAliasCount: 0 })
  } catch {
    return text
  }
}

/** Whether a file of MaxText is its engine's: by the program, or by the mode of the request if there is none. */
function serves(file: string | Fields, { mode }: ReadingContext): boolean {
  if (typeof file === 'string' && /maxengine|jetstream/.test(file)) return true
  const trains = typeof file === 'string' && /pre_train|\btrain\b/.test(file)
  return !trains && mode !== null && mode !== 'train'
}

const severalSaid =
  'holds several documents (---), where a file of settings is one: give the one that is meant'

/** YAML includes JSON. */
function fieldsOf(key: LaunchKey, file: string | Fields): Fields {
  if (typeof file !== 'string') return file
  return parsed(key, file, (text) => yamlValue(uncommented(text)))
}

function parsed(key: LaunchKey, text: string, parse: (text: string) => unknown): Fields {
  const pointer = `/plan/${key}`
  try {
    const found = parse(text)
    if (isFields(found)) return found
  } catch (error) {
    const { message, code } = error as Unreadable
    const [why = ''] = message.split('\n')
    const detail = code === 'MULTIPLE_DOCS' ? severalSaid : `cannot be read as a file of settings: ${why}`
    throw faultyValue('invalid-request', { pointer, detail })
  }
  throw faultyValue('invalid-request', { pointer, detail: 'is no config: it has no keys' })
}
