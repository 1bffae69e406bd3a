/** Takes a command of Megatron Bridge apart: fields that it overrides, as options of Megatron-LM, and what it says beside. Source: overrides.ts, performance.ts. */
import { ownValue } from '../../fields.ts'
import { dashesOf, isOption, isOtherwiseDashed } from '../read/dashes.ts'
import { wordsOf } from '../read/left-over.ts'
import type { Misdashed, Misnamed } from '../read/reading.ts'
import { isOverwritten, optionsSaid, overrides } from './overrides.ts'
import { computeType, misnamedHere, performanceSaid, recipesSet } from './performance.ts'

/** run_recipe.py sets it to the length of the data set, which may be the recipe's own. */
export const following = 'model.seq_length'

export const keys = {
  length: 'dataset.seq_length',
  tensor: 'model.tensor_model_parallel_size',
  pipeline: 'model.pipeline_model_parallel_size',
  virtualStages: 'model.virtual_pipeline_model_parallel_size',
  layout: 'model.pipeline_model_parallel_layout',
  experts: 'model.expert_model_parallel_size',
  expertTensor: 'model.expert_tensor_parallel_size',
  inSequence: 'model.sequence_parallel',
  precision: 'mixed_precision',
} as const

/** Fields with their aliases, and the options of run_recipe.py and of its launcher for them. */
const aliases: Readonly<Record<string, string>> = {
  [keys.length]: `${following} dataset.sequence_length -sl --seq_length`,
  'train.global_batch_size': '-gb --global_batch_size',
  'train.micro_batch_size': '-mb --micro_batch_size',
  [keys.tensor]: '-tp --tensor_model_parallel_size',
  [keys.pipeline]: '-pp --pipeline_model_parallel_size',
  'model.context_parallel_size': '-cp --context_parallel_size',
  [keys.virtualStages]: '-vp --virtual_pipeline_model_parallel_size',
  [keys.experts]: '-ep --expert_model_parallel_size',
  [keys.expertTensor]: '-etp -et --expert_tensor_parallel_size',
}

const short: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(aliases).flatMap(([key, names]) => wordsOf(names).map((name) => [name, key])),
)

const launcher: Readonly<Record<string, string>> = {
  '--nodes': '--nnodes',
  '--gpus-per-node': '--nproc-per-node',
  '--gpus_per_node': '--nproc-per-node',
  '-gn': '--nproc-per-node',
}

/** Options that name the recipe; those of the performance scripts come last, of which older ones name the model and its size. */
const recipes = ['--model', '--recipe', '--model_recipe_name', '-mr', '--model_name']

/** An overridden field as it is written, and as options of Megatron-LM. */
export interface Field {
  readonly text: string
  readonly options: readonly string[]
}

export interface Taken {
  /** Fields by key. Overrides take precedence over short options, those over `model.seq_length`, and later ones over earlier ones. */
  readonly fields: ReadonlyMap<string, Field>
  /** Words of the launcher, as torchrun would get them. */
  readonly started: readonly string[]
  /** Name of the model or of the recipe. */
  readonly recipe: string | null
  /** All GPUs, which only the performance scripts are told. */
  readonly gpus: number | null
  /** Whether one of the performance scripts is started, which set more than they are told. */
  readonly performs: boolean
  /** Options whose values leave all as it is. */
  readonly idle: readonly string[]
  readonly uncounted: readonly string[]
  /** Overrides that the recipe's precision is set over. */
  readonly overwritten: readonly string[]
  readonly left: readonly string[]
  readonly misnamed: readonly Misnamed[]
  readonly misdashed: readonly Misdashed[]
}

const map = () => new Map<string, Field>()

export function takenOf(words: readonly string[]): Taken {
  const file = words.findIndex((word) => /\.(py|sh)$/.test(word))
  const performs = /(run_script|setup_experiment)\.py$/.test(words[file] ?? '')
  const started = words.slice(0, Math.max(0, file))
  const [follows, conveniences, overridden] = [map(), map(), map()]
  const [left, idle, uncounted, overwritten]: [string[], string[], string[], string[]] = [[], [], [], []]
  const misnamed: Misnamed[] = []
  const misdashed: Misdashed[] = []
  let recipe: string | null = null
  let size: string | null = null
  let gpus: number | null = null
  const rest = words.slice(file + 1)
  while (rest.length > 0) {
    const [name = '', ...parts] = (rest.shift() ?? '').replace(/^(\+\+?|~)(?=\w)/, '').split('=')
    const isOption = name.startsWith('-')
    const behind = isOption && parts.length === 0 && rest[0] !== undefined && !/^-|=/.test(rest[0])
    const value = parts.length > 0 ? parts.join('=') : behind ? rest.shift() : undefined
    const text = value === undefined ? name : `${name}${isOption ? ' ' : '='}${value}`
    const key = ownValue(short, name) ?? (isOption ? undefined : name)
    const level = name === following ? follows : isOption ? conveniences : overridden
    const options = key === undefined || value === undefined ? null : optionsSaid(key, value)
    const on = ownValue(launcher, name)
    const stands = value === undefined ? null : performanceSaid(name, value)
    if (key !== undefined && options) level.set(key, { text, options })
    else if (key !== undefined && value !== undefined && isOverwritten(key)) overwritten.push(text)
    else if (on !== undefined && value !== undefined) started.push(on, value)
    else if (recipes.includes(name) && value !== undefined) recipe = value
    else if (name === '--model_size' && value !== undefined) size = value
    else if ((name === '--num_gpus' || name === '-ng') && /^\d+$/.test(value ?? '')) gpus = Number(value)
    else if (stands) {
      for (const [own, field] of fieldsOf(stands.overrides, text)) level.set(own, field)
      if (stands.overrides.length === 0) (stands.isCounted ? idle : uncounted).push(text)
    } else if (text !== '') {
      left.push(text)
      misnamed.push(...misnamedHere(name, value))
      misdashed.push(...misdashedHere(name))
    }
  }
  const isTyped = conveniences.has(keys.precision) || overridden.has(keys.precision)
  // The scripts have a type where nobody says one.
  const type = isTyped ? [] : (performanceSaid(computeType, 'bf16')?.overrides ?? [])
  const byDefault = performs ? fieldsOf([...type, ...recipesSet], 'of the recipe') : []
  return {
    fields: new Map([...byDefault, ...follows, ...conveniences, ...overridden]),
    ...{
      started,
      recipe: recipe !== null && size !== null ? `${recipe}_${size}` : recipe,
      gpus,
      performs,
      idle,
      uncounted,
      overwritten,
      left,
      misnamed,
      misdashed,
    },
  }
}

/** Overrides have no dashes, for which Hydra would take them for names, and options of the scripts have those of a keyboard. */
function misdashedHere(word: string): readonly Misdashed[] {
  if (!isOption(word) && !isOtherwiseDashed(word)) return []
  const [, name] = dashesOf(word)
  const option = [`-${name}`, `--${name}`].find((one) => Object.hasOwn(short, one))
  const field = overrides.some(({ key }) => key === name) ? `${name}=…` : null
  const meant = option ?? field
  return meant === null ? [] : [{ option: word, meant }]
}

function fieldsOf(overrides: readonly string[], text: string): readonly (readonly [string, Field])[] {
  return overrides.map((one) => {
    const at = one.indexOf('=')
    const [key, value] = [one.slice(0, at), one.slice(at + 1)]
    return [key, { text, options: optionsSaid(key, value) ?? [] }]
  })
}
