/**
 * Megatron-LM's precision-aware optimizer, which needs the distributed optimizer: Adam's moments in fewer than 32 bits, and of
 * master weights the 16 bits that bf16 weights lack. No option says the latter: it is so wherever FusedAdam has the bf16 weights
 * themselves, thus not on the host, not in Megatron-FSDP, and not in fp8 but with delayed scaling of weights that are kept in bf16.
 *
 * Moments are written alike, as `precision.optimizer` has one type. Source: as flags.ts, megatron/training/arguments.py,
 * megatron/core/optimizer/{__init__,optimizer_config,distrib_optimizer}.py (`store_param_remainders`,
 * `use_precision_aware_optimizer_no_fp8_or_ds_fp8`); in Megatron Bridge types have torch's names.
 */
import { compact } from '../../compact.ts'
import { scalesBlocks } from '../../hardware/peak.ts'
import type { Problem } from '../../problem.ts'
import { elementBytes } from '../../recipe/element-type.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { OptimizerName } from '../../recipe/optimizers.ts'
import type { Options } from '../read/options.ts'
import type { Run } from '../run/run.ts'

const aware = '--use-precision-aware-optimizer'

/** What Megatron Bridge can say, and no option of Megatron-LM: master weights are not kept as remainders. */
export const keepsMastersWhole = '--no-store-param-remainders'

const options = ['--exp-avg-dtype', '--exp-avg-sq-dtype'] as const

/** The recipe of fp8 by which Adam's kernel casts weights itself; Megatron-LM's default. */
const delayed = 'delayed'

/** What moments are kept in unless something else is said. */
const whole: ElementType = 'fp32'

export const megatronMoments: readonly ElementType[] = [whole, 'bf16', 'fp8']

/** By the names of the options and of torch; fp16 is as wide as bf16, which is all that is counted. */
const named: Readonly<Record<string, ElementType>> = {
  ...{ fp32: whole, float32: whole, bf16: 'bf16', bfloat16: 'bf16', fp16: 'bf16', float16: 'bf16' },
  ...{ fp8: 'fp8', uint8: 'fp8' },
}

/** Optimizers whose states it keeps on the host, or in fewer than 32 bits. */
export const megatronPlaced: readonly OptimizerName[] = ['adamw']

export function areNarrow(moments: ElementType): boolean {
  return moments !== whole
}

export function awareFlags({ precision, assumptions }: Problem): readonly string[] {
  const narrow = areNarrow(precision.optimizer)
  return compact(
    (narrow || assumptions.masterRemainders) && aware,
    narrow && options.flatMap((option) => [option, precision.optimizer]),
  )
}

/** Whether master weights can be kept as remainders: in fp8 with the recipe that is written for the chip (flags.ts). */
export function mayKeepRemainders({ precision, workload, assumptions, cluster }: Problem): boolean {
  const blocks = precision.compute === 'fp8' && scalesBlocks(cluster.chip)
  const offered = megatronPlaced.includes(workload.optimizer) && !assumptions.optimizerOnHost
  return offered && precision.weights === 'bf16' && !blocks
}

/** The precision-aware optimizer has no switch for what a plan may have counted whole. */
export function remainderNotes({ problem, zeroStage }: Run): readonly string[] {
  const { precision, assumptions } = problem
  const kept = areNarrow(precision.optimizer) && zeroStage === 1 && mayKeepRemainders(problem)
  return kept && !assumptions.masterRemainders
    ? [
        `With ${aware}, Megatron-LM keeps 2 bytes of a master weight instead of the 4 that are counted: assumptions.masterRemainders counts 2.`,
      ]
    : []
}

/** Whether a run keeps master weights as remainders, going by its options. */
export function keepsRemainders(given: Options): boolean {
  const scaled = given.text('--fp8-recipe') ?? delayed
  const apart = [
    keepsMastersWhole,
    '--optimizer-cpu-offload',
    '--use-megatron-fsdp',
    '--fp8-param-gather',
    '--fp4-param-gather',
  ]
  const offered = given.has(aware) && given.has('--bf16') && given.has('--use-distributed-optimizer')
  return (
    offered && !apart.some((option) => given.has(option)) && scaled === delayed && mastersIn(given) === whole
  )
}

function mastersIn(given: Options): ElementType {
  return typeNamed(given.text('--main-params-dtype'))
}

function typeNamed(text: string | null | undefined): ElementType {
  return named[text?.replace(/^torch\./, '') ?? whole] ?? whole
}

export interface MomentsRead {
  readonly type: ElementType
  readonly notes: readonly string[]
  readonly faults: readonly string[]
}

export function momentsRead(given: Options): MomentsRead {
  const said = options.map((option) => ({ option, text: given.text(option) }))
  const types = said.map(({ text }) => typeNamed(text))
  const [first = whole, second = whole] = types
  const type = elementBytes[first] >= elementBytes[second] ? first : second
  const narrow = said.filter((_, index) => areNarrow(types[index] ?? whole))
  const lacks = !given.has(aware) && narrow.length > 0
  return {
    type,
    notes: compact(
      first !== second && `${options.join(' and ')} differ: both are counted in the wider type, ${type}`,
      mastersIn(given) !== whole &&
        `--main-params-dtype ${given.text('--main-params-dtype')}: master weights are counted in ${whole}`,
    ),
    faults: lacks ? [`${narrow.map(({ option }) => option).join(' and ')}: only with ${aware}`] : [],
  }
}
