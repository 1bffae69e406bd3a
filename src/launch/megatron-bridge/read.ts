/**
 * Reads a command of Megatron Bridge into the words of a request: its overrides are translated into options of
 * Megatron-LM, and read as those. What its recipe sets is not known here. Source: overrides.ts.
 */
import { compact } from '../../compact.ts'
import { readMegatron } from '../megatron/read/read.ts'
import { wordsOf } from '../read/left-over.ts'
import type { LaunchReading, ReadingContext } from '../read/reading.ts'
import { scriptOf } from '../read/shell/script.ts'
import { tasksOf } from '../read/world.ts'
import { optionsSaid } from './overrides.ts'
import { nameOf } from './recipes.ts'
import { bridgeVersion } from './version.ts'

/** run_recipe.py sets it to the length of the data set, which may be the recipe's own. */
const following = 'model.seq_length'

/** Fields with their aliases, and the options of run_recipe.py and of its launcher for them. */
const aliases: Readonly<Record<string, string>> = {
  'dataset.seq_length': `${following} dataset.sequence_length -sl --seq_length`,
  'train.global_batch_size': '-gb --global_batch_size',
  'train.micro_batch_size': '-mb --micro_batch_size',
  'model.tensor_model_parallel_size': '-tp --tensor_model_parallel_size',
  'model.pipeline_model_parallel_size': '-pp --pipeline_model_parallel_size',
  'model.context_parallel_size': '-cp --context_parallel_size',
  'model.virtual_pipeline_model_parallel_size': '-vp --virtual_pipeline_model_parallel_size',
  'model.expert_model_parallel_size': '-ep --expert_model_parallel_size',
  'model.expert_tensor_parallel_size': '-etp -et --expert_tensor_parallel_size',
}

const short: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(aliases).flatMap(([key, names]) => wordsOf(names).map((name) => [name, key])),
)

const launcher: Readonly<Record<string, string>> = {
  '--nodes': '--nnodes',
  '--gpus-per-node': '--nproc-per-node',
  '--gpus_per_node': '--nproc-per-node',
}

/** Fields and options that do not affect the layout. */
const immaterial =
  /^(train\.(train_iters|eval_|exit_|manual_gc)|model\.moe_router_force|optimizer\.(lr|min_lr|adam|weight_decay|clip_grad)|scheduler\.|checkpoint\.|logger\.|rng\.|tokenizer\.|validation\.|profiling\.|dataset\.(?!seq_length)|env_vars|-ms|--max_steps|--lr|--min_lr|--warmup_iters|--dataset|--mode|--step.func|--save|--load|--pretrained|--dry|--deterministic|--dump|--account|--partition|--container|--srun|--env|--time|--gpu$|--gpu |--model_family|--compute_dtype bf16)/

/** An overridden field as it is written, and as options of Megatron-LM. */
interface Field {
  readonly text: string
  readonly options: readonly string[]
}

interface Taken {
  /** Fields by key. Overrides take precedence over short options, those over `model.seq_length`, and later ones over earlier ones. */
  readonly fields: ReadonlyMap<string, Field>
  /** Words of the launcher, as torchrun would get them. */
  readonly started: readonly string[]
  /** Name of the model or of the recipe. */
  readonly recipe: string | null
  /** All GPUs, which only the performance scripts are told. */
  readonly gpus: number | null
  readonly left: readonly string[]
}

export function readBridge(
  written: string | readonly string[],
  { chips, model }: Pick<ReadingContext, 'chips' | 'model'>,
): LaunchReading {
  const script = scriptOf(written)
  const words = script.commands.findLast((command) => command.some((word) => own.test(word)))
  const { fields, started, recipe, left, ...said } = takenOf(words ?? script.commands.flat())
  const [, stem, named] = /^(.+?)(?:_pretrain(?:_(\d+)gpu)?.*|_config)?$/.exec(recipe ?? '') ?? []
  // The names of benchmark recipes contain their number of GPUs.
  const tasks = tasksOf(script.variables, started)
  const counted = said.gpus ?? (named === undefined || started.includes('--nnodes') ? tasks : Number(named))
  const options = [...fields.values()].flatMap((field) => field.options)
  const whole = holdsWhole(fields, stem ?? '')
  // Unless overridden, a recipe runs in bf16 with the distributed optimizer (recipes/common.py, _pretrain_common).
  const numbers = fields.has('mixed_precision') ? [] : ['--bf16']
  const shares = sharing.every((key) => fields.has(key)) ? [] : ['--use-distributed-optimizer']
  // What a recipe overlaps is taken to be on, unless it is overridden; for tensor parallelism no override is read.
  const hidden = [
    '--tp-comm-overlap',
    ...overlapping.flatMap(([key, option]) => (fields.has(key) ? [] : [option])),
  ]
  const reading = readMegatron(
    compact(
      [...started, 'pretrain.py', ...numbers, ...shares, ...hidden, ...options],
      whole && ['--expert-tensor-parallel-size', '1'],
    ),
    counted ?? chips,
    model?.layers ?? null,
    { recipe: true },
  )
  const heard = new Set(reading.ignored.map((option) => option.split(' ')[0]))
  const unheard = [...fields.values()].filter((field) =>
    field.options.filter((word) => word.startsWith('--')).every((option) => heard.has(option)),
  )
  return {
    ...reading,
    framework: 'megatron-bridge',
    version: bridgeVersion,
    // A recipe's model is the rest of it.
    wholeModel: false,
    ...(stem === undefined ? {} : { named: nameOf(stem) }),
    hardware: counted === null ? reading.hardware : { chips: counted },
    notes: compact(
      script.notes,
      reading.notes,
      fields.get('dataset.seq_length')?.text.startsWith(following) &&
        `${following} is taken for dataset.seq_length, to which run_recipe.py sets it: say that one`,
      whole &&
        `without ${cutting} ranks of tensor hold whole experts, as all but a few recipes of Megatron Bridge set it to 1`,
      `what ${recipe ?? 'the recipe'} sets itself is not known: what is not overridden is taken for Megatron-LM's defaults, in bf16 and with the distributed optimizer`,
    ),
    ignored: [...unheard.map(({ text }) => text), ...left.filter((one) => immaterial.test(one))],
    notUnderstood: left.filter((one) => !immaterial.test(one)),
  }
}

/** Both are on in recipes/common.py. */
const overlapping = [
  ['ddp.overlap_grad_reduce', '--overlap-grad-reduce'],
  ['ddp.overlap_param_gather', '--overlap-param-gather'],
] as const

const cutting = 'model.expert_tensor_parallel_size'

/**
 * Whether a recipe has ranks of tensor hold whole experts, which is not Megatron-LM's default: all recipes with experts do that
 * cut the rest of the model (src/megatron/bridge/recipes @067f987), but for these.
 */
function holdsWhole(fields: ReadonlyMap<string, Field>, recipe: string): boolean {
  const spreads = fields.has('model.expert_model_parallel_size') && !fields.has(cutting)
  return spreads && !/^(deepseek_v2|glm_45v|olmoe|qwen3_vl)/.test(recipe)
}

/** Setting either to true turns on both. */
const sharing = ['ddp.use_distributed_optimizer', 'optimizer.use_distributed_optimizer']

const own =
  /^(\+|~)?(model|train|ddp|dataset)\.\w+=|run_recipe\.py$|setup_experiment\.py$|scripts\/training\/train\.sh$/

/** Options that name the recipe; the last is of the performance scripts. */
const recipes = ['--model', '--recipe', '--model_recipe_name']

const map = () => new Map<string, Field>()

function takenOf(words: readonly string[]): Taken {
  const file = words.findIndex((word) => /\.(py|sh)$/.test(word))
  const started = words.slice(0, Math.max(0, file))
  const [follows, conveniences, overridden] = [map(), map(), map()]
  const left: string[] = []
  let recipe: string | null = null
  let gpus: number | null = null
  const rest = words.slice(file + 1)
  while (rest.length > 0) {
    const [name = '', ...parts] = (rest.shift() ?? '').replace(/^(\+\+?|~)(?=\w)/, '').split('=')
    const isOption = name.startsWith('-')
    const behind = isOption && parts.length === 0 && rest[0] !== undefined && !/^-|=/.test(rest[0])
    const value = parts.length > 0 ? parts.join('=') : behind ? rest.shift() : undefined
    const text = value === undefined ? name : `${name}${isOption ? ' ' : '='}${value}`
    const key = short[name] ?? (isOption ? undefined : name)
    const level = name === following ? follows : isOption ? conveniences : overridden
    const options = key === undefined || value === undefined ? null : optionsSaid(key, value)
    const on = launcher[name]
    if (key !== undefined && options) level.set(key, { text, options })
    else if (on !== undefined && value !== undefined) started.push(on, value)
    else if (recipes.includes(name) && value !== undefined) recipe = value
    else if (name === '--num_gpus' && value !== undefined) gpus = Number(value)
    else left.push(text)
  }
  return { fields: new Map([...follows, ...conveniences, ...overridden]), started, recipe, gpus, left }
}
