/**
 * Reads a command or a script of Megatron-LM into the words of a request. Its ranks are tensor x context x data x
 * pipeline, where data is what is left of the world size and contains the experts; defaults are Megatron-LM's. The
 * inverse of flags.ts, with the same source.
 */

import { compact } from '../../../compact.ts'
import { present } from '../../../fields.ts'
import { unmixed } from '../../long-names.ts'
import { leftOver } from '../../read/left-over.ts'
import { optionsOf } from '../../read/options.ts'
import type { Following, LaunchReading, ReadingContext } from '../../read/reading.ts'
import { scriptOf } from '../../read/shell/script.ts'
import { chipsUnsaid, mpiRanks, ofOneNode, tasksOf, worldOf } from '../../read/world.ts'
import { said } from '../../settings/settings.ts'
import { type MegatronSaid, megatronSettings } from '../settings.ts'
import { megatronVersion } from '../version.ts'
import { assertedOf } from './asserted/asserted.ts'
import { misnamedIn, openIn, unlistedIn } from './asserted/choices.ts'
import { connectionsFault, connectionsNote } from './asserted/connections.ts'
import { scalesFault } from './asserted/scales.ts'
import { assumedOf } from './assumptions.ts'
import { handedNote, noModel } from './handed.ts'
import { isImmaterial } from './immaterial.ts'
import { readMegatronModel } from './model.ts'
import { momentsRead } from './moments.ts'
import { planOf } from './plan.ts'
import { megatronSynonyms } from './synonyms.ts'

interface Beside {
  /** Whether the GPUs support them. */
  readonly userBuffers?: boolean | undefined
  readonly chip?: ReadingContext['chip']
  readonly batchAsked?: ReadingContext['batchAsked']
  /** Whether the options override those of a recipe, which is not here. */
  readonly recipe?: boolean
  /** Whether that recipe may cut the layers into stages in a way of its own. */
  readonly recipeCuts?: boolean
  /** Whether the request's model has experts, where it is known. */
  readonly hasExperts?: boolean | undefined
}

/** `chips` of the request, where torchrun does not say them; `layers` of the request's model, for a command that gives none. */
export function readMegatron(
  written: string | readonly string[],
  chips: number | null,
  layers: number | null = null,
  {
    userBuffers = true,
    recipe = false,
    recipeCuts = recipe,
    batchAsked = false,
    chip,
    hasExperts,
  }: Beside = {},
): LaunchReading {
  const script = scriptOf(written)
  const { launcher, own, program, handedTo } = commandOf(script.commands)
  const tasks = tasksOf(script.variables, launcher)
  const started = worldOf(optionsOf(launcher)) ?? worldOf(optionsOf(own)) ?? tasks ?? mpiRanks(launcher)
  // Where the request says another number, its launcher is told of nodes otherwise (PET_NNODES).
  const world = started ?? (chips === null ? ofOneNode(optionsOf(launcher)) : null)
  const options = optionsOf(own, megatronSynonyms)
  // A launcher that cannot be read is not a fault, because the request may give the number of chips.
  const given = said(megatronSettings, options)
  const { model, ...ofModel } = readMegatronModel(options, given)
  const optimizer = optimizerOf(given)
  const known = world ?? chips
  const whole = handedTo === null && !recipe
  const laidOut =
    known === null
      ? null
      : planOf(given, known, model ? Number(model.layers) : layers, {
          userBuffers,
          whole,
          cut: handedTo === null && !recipeCuts,
          hasExperts,
        })
  const { sequenceLength } = given
  const moments = momentsRead(given)
  const precision = { ...precisionOf(given), optimizer: moments.type }
  const { assumptions, notes, ...placed } = assumedOf(options, given, model)
  const left = [...options.left()]
  // Megatron-DeepSpeed's programs have the same names, and options of their own.
  const ownProgram = (program === null || isOwnProgram(program)) && !options.has('--deepspeed')
  const spelledOut = program !== null && ownProgram && model !== null
  const usualBatch = spelledOut && whole && !batchAsked && known !== null ? batchOf(given, known) : null
  const batchSequences = given.globalBatch ?? usualBatch
  const asserted = assertedOf(options, given, { words: own, whole, spelledOut })
  const handed = handedTo === null ? [] : [handedNote(handedTo, script)]
  const all = trainingsIn(script.commands)
  return {
    framework: 'megatron',
    version: megatronVersion,
    model,
    wholeModel: handedTo === null,
    ...(ownProgram && whole && model !== null && !model.multiTokenLayers
      ? { furtherLayers: false as const }
      : {}),
    ...present({ tokenizer: options.text('--tokenizer-model') }),
    hardware: world === null ? {} : { chips: world },
    ...(tasks !== null && started === tasks ? { tasks } : {}),
    workload: {
      mode: 'train',
      ...present({ batchSequences, sequenceLength, optimizer }),
    },
    precision,
    assumptions,
    costed: laidOut?.costed ?? {},
    lacking: laidOut?.lacking ?? {},
    plan: laidOut?.plan ?? {},
    notes: [
      ...script.notes,
      ...compact(all > 1 && `of ${all} commands that start Megatron-LM the last is read`),
      ...handed,
      ...ofModel.notes,
      ...notes,
      ...moments.notes,
      ...(laidOut?.notes ?? []),
      ...(ownProgram ? openIn(options) : []),
      ...compact(
        given.globalBatch === null &&
          usualBatch !== null &&
          `--global-batch-size is not said: ${usualBatch}, a microbatch of each data-parallel rank, as Megatron-LM takes`,
        spelledOut && whole && connectionsNote(script.variables, given, chip),
      ),
    ],
    // Without the number of GPUs nobody has asked for what says the mesh.
    ...leftOver(laidOut ? left : [], isImmaterial, options.known(), options.undashed()),
    refuses: ownProgram,
    faults: compact(
      program === null && own.length === 0 && noCommand(handedTo, script.unclosed),
      handedTo !== null && own.length > 0 && !own.some(isLayout) && noModel(handedTo, script),
      program !== null &&
        otherModels.test(program) &&
        `${program.replace(/^.*\//, '').slice(0, 100)} trains no decoder, which is what is counted`,
      options.faults,
      ofModel.faults,
      moments.faults,
      asserted,
      connectionsFault(script.variables, given, chip),
      scalesFault(given, chip),
      laidOut ? laidOut.faults : chipsUnsaid('--nnodes and --nproc-per-node'),
    ),
    follows: given.globalBatch === null ? [usually] : [],
    uncounted: compact(placed.uncounted, laidOut?.uncounted),
    misnamed: misnamedIn(options),
    unregistered: ownProgram ? unlistedIn(options) : [],
  }
}

/** The batch where it is not said, and what makes it: ranks that are not tensor, context or pipeline are data-parallel. */
const usually: Following = {
  setting: '--global-batch-size',
  from: [
    '--micro-batch-size',
    ...['tensor-model', 'context', 'pipeline-model'].map((axis) => `--${axis}-parallel-size`),
    ...['--nnodes', '--nproc-per-node'],
  ],
}

/** What Megatron-LM takes for the batch where it is not said (arguments.py, validate_args); null where the ranks are not known to be whole. */
function batchOf({ tensor, pipeline, context, microbatch }: MegatronSaid, chips: number): number | null {
  const replicas = chips / (tensor * pipeline * context)
  return microbatch !== null && Number.isInteger(replicas) ? microbatch * replicas : null
}

/** Commands of Python with options of Megatron-LM, each once. */
function trainingsIn(commands: readonly (readonly string[])[]): number {
  const starts = commands.filter((words) => words.some(isLayout) && words.some((word) => /\.py$/.test(word)))
  return new Set(starts.map((words) => words.join(' '))).size
}

/** Whether a word is one of the options that nearly every run has. */
function isLayout(word: string): boolean {
  return /^--(num-layers|tensor-model-parallel-size|micro-batch-size|global-batch-size|seq-length)\b/.test(
    word,
  )
}

/** The last command with options of Megatron-LM: `launcher` is what precedes the Python file (torchrun's options), `own` what follows it. */
function commandOf(commands: readonly (readonly string[])[]): {
  readonly launcher: readonly string[]
  readonly own: readonly string[]
  /** The Python file; null where there is none. */
  readonly program: string | null
  /** A script that gets the options in place of a Python file, and starts that with others of its own. */
  readonly handedTo: string | null
} {
  const isScript = (word: string) => /\.sh$/.test(word)
  const words =
    commands.findLast((command) => command.some(isLayout)) ??
    commands.findLast((command) => command.some(isScript) && command.some((word) => word.startsWith('--'))) ??
    commands.flat()
  const file = words.findIndex((word) => /\.py$/.test(word))
  const flags = words.findIndex((word) => word.startsWith('--'))
  return file < 0
    ? {
        ...{ launcher: [], program: null, handedTo: words.find(isScript) ?? null },
        own: flags < 0 ? [] : words.slice(flags),
      }
    : {
        ...{ launcher: words.slice(0, file), program: words[file] ?? null, handedTo: null },
        own: words.slice(file + 1),
      }
}

function noCommand(script: string | null, unclosed: string | null): string {
  if (unclosed !== null) return `${unclosed}: no command of Megatron-LM is in front of it`
  const usual = 'torchrun … pretrain_gpt.py …, or options alone'
  const what =
    script === null ? 'the text has no command' : `it starts ${script.slice(0, 100)}, which is not here`
  return `${what}, where one of Megatron-LM is meant: ${usual}`
}

/** Programs of Megatron-LM that train decoders: others, and those that people write, add options (extra_args_provider). */
function isOwnProgram(program: string): boolean {
  return /(^|\/)pretrain_(gpt|hybrid|mamba)\.py$/.test(program)
}

/** Programs of Megatron-LM whose models have an encoder, or sequences that are no text. */
const otherModels = /(^|\/)pretrain_(bert|t5|retro|ict|vlm|mimo|vision\w*)\.py$/

function precisionOf({ precision }: MegatronSaid): Readonly<Record<string, string>> {
  const main = precision.mainGradients ?? precision.fsdpGradients
  if (!(precision.isBf16 || precision.isFp16)) return unmixed
  return {
    weights: 'bf16',
    compute: precision.fp8Format !== null ? 'fp8' : precision.fp4Format !== null ? 'nvfp4' : 'bf16',
    gradients: precision.narrowGradients || main === 'bf16' ? 'bf16' : 'fp32',
  }
}

function optimizerOf({ optimizer: { name, momentum } }: MegatronSaid): string | null {
  if (name === null || name === 'adam') return 'adamw'
  // An older name of it with its states dealt out.
  if (name === 'dist_muon') return 'muon'
  if (name === 'sgd') return momentum === 0 ? 'sgd' : 'momentum'
  return name
}
