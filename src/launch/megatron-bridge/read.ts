/**
 * Reads a command of Megatron Bridge into the words of a request: its overrides are translated into options of
 * Megatron-LM, and read as those. What its recipe sets is not known here, but for the cut of some into stages. Source: overrides.ts.
 */
import { compact } from '../../compact.ts'
import { layoutOption } from '../megatron/read/layout.ts'
import { readMegatron } from '../megatron/read/read.ts'
import type { LaunchReading, ReadingContext } from '../read/reading.ts'
import { scriptOf } from '../read/shell/script.ts'
import { mpiRanks, tasksOf } from '../read/world.ts'
import { isImmaterial } from './immaterial.ts'
import { overwrittenNote } from './overrides.ts'
import { nameOf } from './recipes.ts'
import { mayCut, stagesOf } from './stages.ts'
import { type Field, following, keys, type Taken, takenOf } from './taken.ts'
import { bridgeVersion } from './version.ts'

export function readBridge(
  written: string | readonly string[],
  { chips, model, chip }: Pick<ReadingContext, 'chips' | 'model' | 'chip'>,
): LaunchReading {
  const script = scriptOf(written)
  const words = script.commands.findLast((command) => command.some((word) => own.test(word)))
  const taken = takenOf(words ?? script.commands.flat())
  const { fields, started, recipe, left, idle } = taken
  const [, stem, named] = /^(.+?)(?:_pretrain(?:_(\d+)gpu)?.*|_config)?$/.exec(recipe ?? '') ?? []
  // The names of benchmark recipes contain their number of GPUs.
  const tasks = tasksOf(script.variables, started)
  const counted =
    taken.gpus ??
    (named === undefined || started.includes('--nnodes') ? (tasks ?? mpiRanks(started)) : Number(named))
  const whole = holdsWhole(fields, stem ?? '')
  // Unless overridden, a recipe runs in bf16 with the distributed optimizer (recipes/common.py, _pretrain_common).
  const numbers = fields.has(keys.precision) ? [] : ['--bf16']
  const shares = sharing.every((key) => fields.has(key)) ? [] : ['--use-distributed-optimizer']
  // What a recipe overlaps is taken to be on, unless it is overridden; for tensor parallelism no override is read.
  const hidden = [
    '--tp-comm-overlap',
    ...overlapping.flatMap(([key, option]) => (fields.has(key) ? [] : [option])),
  ]
  const reading = readMegatron(
    compact(
      [...started, 'pretrain.py', ...numbers, ...shares, ...hidden, ...optionsOf(taken, stem ?? '')],
      whole && ['--expert-tensor-parallel-size', '1'],
    ),
    counted ?? chips,
    model?.layers ?? null,
    { recipe: true, recipeCuts: mayCut(stem ?? ''), chip, hasExperts: model?.experts },
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
    ...(tasks !== null && counted === tasks ? { tasks } : {}),
    notes: compact(
      script.notes,
      reading.notes,
      taken.uncounted.map((option) => `${option} is not counted`),
      overwrittenNote(taken.overwritten),
      fields.get(keys.length)?.text.startsWith(following) &&
        `${following} is taken for ${keys.length}, to which run_recipe.py sets it: say that one`,
      whole &&
        `without ${keys.expertTensor} ranks of tensor hold whole experts, as all but a few recipes of Megatron Bridge set it to 1`,
      `what ${recipe ?? 'the recipe'} sets itself is not known: what is not overridden is taken for Megatron-LM's defaults, in bf16 and with the distributed optimizer`,
    ),
    ignored: [
      ...new Set([
        ...unheard.map(({ text }) => text),
        ...idle,
        ...taken.overwritten,
        ...left.filter(isImmaterial),
      ]),
    ],
    notUnderstood: left.filter((one) => !isImmaterial(one)),
    faults: compact(reading.faults, saysNothing(taken) && nothingSaid(recipe ?? 'its recipe')),
    misnamed: [...(reading.misnamed ?? []), ...taken.misnamed],
    misdashed: taken.misdashed,
  }
}

const own =
  /^(\+|~)?(model|train|ddp|dataset)\.\w+=|run_(recipe|script)\.py$|setup_experiment\.py$|scripts\/training\/train\.sh$/

/** Both are on in recipes/common.py. */
const overlapping = [
  ['ddp.overlap_grad_reduce', '--overlap-grad-reduce'],
  ['ddp.overlap_param_gather', '--overlap-param-gather'],
] as const

/**
 * Whether a recipe has ranks of tensor hold whole experts, which is not Megatron-LM's default: all recipes with experts do that
 * cut the rest of the model (src/megatron/bridge/recipes @067f987), but for these.
 */
function holdsWhole(fields: ReadonlyMap<string, Field>, recipe: string): boolean {
  const spreads = fields.has(keys.experts) && !fields.has(keys.expertTensor)
  return spreads && !/^(deepseek_v2|glm_45v|olmoe|qwen3_vl)/.test(recipe)
}

/** The recipes of the performance scripts have layouts and batches of their own for each kind of chip, which are not here. */
function saysNothing({ performs, fields }: Taken): boolean {
  return performs && ![...fields.keys()].some((key) => /_parallel_size$|_batch_size$|_fsdp$/.test(key))
}

function nothingSaid(recipe: string): string {
  return `the layout and the batch are those that ${recipe} has for this chip, which are not here: say --tensor_model_parallel_size, --pipeline_model_parallel_size, --expert_model_parallel_size, --global_batch_size … as it has them`
}

/** Setting either to true turns on both. */
const sharing = ['ddp.use_distributed_optimizer', 'optimizer.use_distributed_optimizer']

/** Fields that cut the layers into stages, in place of what the recipe does. */
const cutting = [
  keys.layout,
  'model.num_layers_in_first_pipeline_stage',
  'model.num_layers_in_last_pipeline_stage',
  'model.account_for_embedding_in_pipeline_split',
  'model.account_for_loss_in_pipeline_split',
]

/** What fields say in options of Megatron-LM, with what the recipe and the script say where they do not. */
function optionsOf({ fields, performs }: Taken, recipe: string): readonly string[] {
  const said = (key: string) => fields.get(key)?.options[1]
  const stages = { pipeline: said(keys.pipeline), virtual: said(keys.virtualStages) }
  const cut = cutting.some((key) => fields.has(key)) ? [] : stagesOf(recipe, stages, performs)
  // The performance scripts turn it on with tensor parallelism.
  const inSequence = performs && Number(said(keys.tensor) ?? 1) > 1 && !fields.has(keys.inSequence)
  // A layout has its virtual stages in it, which recipes say beside.
  const inLayout = [...cut, ...(fields.get(keys.layout)?.options ?? [])].includes(layoutOption)
  const laid = [...fields].filter(([key]) => !(inLayout && key === keys.virtualStages))
  return compact(
    cut,
    inSequence && '--sequence-parallel',
    laid.flatMap(([, field]) => field.options),
  )
}
