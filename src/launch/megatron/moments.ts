/**
 * Adam's moments in fewer than 32 bits, as Megatron-LM's precision-aware optimizer keeps them; it needs the distributed optimizer.
 * Written for both moments alike, as `precision.optimizer` has one type. Source: as flags.ts, megatron/training/arguments.py,
 * megatron/core/optimizer/{__init__,optimizer_config}.py; in Megatron Bridge types have torch's names.
 */
import { elementBytes } from '../../recipe/element-type.ts'
import type { ElementType } from '../../recipe/element-types.ts'
import type { Options } from '../read/options.ts'

const aware = '--use-precision-aware-optimizer'
const options = ['--exp-avg-dtype', '--exp-avg-sq-dtype'] as const

/** What moments are kept in unless something else is said. */
const whole: ElementType = 'fp32'

export const megatronMoments: readonly ElementType[] = [whole, 'bf16', 'fp8']

/** By the names of the options and of torch; fp16 is as wide as bf16, which is all that is counted. */
const named: Readonly<Record<string, ElementType>> = {
  ...{ fp32: whole, float32: whole, bf16: 'bf16', bfloat16: 'bf16', fp16: 'bf16', float16: 'bf16' },
  ...{ fp8: 'fp8', uint8: 'fp8' },
}

export function areNarrow(moments: ElementType): boolean {
  return moments !== whole
}

export function momentFlags(moments: ElementType): readonly string[] {
  return areNarrow(moments) ? [aware, ...options.flatMap((option) => [option, moments])] : []
}

export interface MomentsRead {
  readonly type: ElementType
  readonly notes: readonly string[]
  readonly faults: readonly string[]
}

export function momentsRead(given: Options): MomentsRead {
  const said = options.map((option) => ({ option, text: given.text(option) }))
  const types = said.map(({ text }) => named[text?.replace(/^torch\./, '') ?? whole] ?? whole)
  const [first = whole, second = whole] = types
  const type = elementBytes[first] >= elementBytes[second] ? first : second
  const narrow = said.filter((_, index) => areNarrow(types[index] ?? whole))
  const master = given.text('--main-params-dtype') ?? whole
  const lacks = !given.has(aware) && narrow.length > 0
  return {
    type,
    notes: [
      ...(first === second
        ? []
        : [`${options.join(' and ')} differ: both are counted in the wider type, ${type}`]),
      ...(master === whole ? [] : [`--main-params-dtype ${master}: master weights are counted in ${whole}`]),
    ],
    faults: lacks ? [`${narrow.map(({ option }) => option).join(' and ')}: only with ${aware}`] : [],
  }
}
