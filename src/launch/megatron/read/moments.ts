/** What a command of Megatron-LM keeps Adam's moments and its master weights in (../moments.ts). */

import { compact } from '../../../compact.ts'
import { ownValue } from '../../../fields.ts'
import { elementBytes } from '../../../recipe/element-type.ts'
import type { ElementType } from '../../../recipe/element-types.ts'
import { delayed } from '../fp8-recipe.ts'
import { areNarrow, momentSettings, whole } from '../moments.ts'
import type { MegatronSaid } from '../settings.ts'

/** By the names of the options and of torch; fp16 is as wide as bf16, which is all that is counted. */
const named: Readonly<Record<string, ElementType>> = {
  ...{ fp32: whole, float32: whole, bf16: 'bf16', bfloat16: 'bf16', fp16: 'bf16', float16: 'bf16' },
  ...{ fp8: 'fp8', uint8: 'fp8' },
}

/** Whether a run keeps master weights as remainders. */
export function keepsRemainders({ precision, fsdp, ...given }: MegatronSaid): boolean {
  const offered = given.isAware && precision.isBf16 && given.distributed
  const apart = given.mastersWhole || given.host.isHost || fsdp.isFsdp
  const gathered = precision.fp8Gathered || precision.fp4Gathered
  const scaled = precision.fp8Recipe ?? delayed
  return offered && !apart && !gathered && scaled === delayed && typeNamed(given.masters) === whole
}

function typeNamed(text: string | null): ElementType {
  return ownValue(named, text?.replace(/^torch\./, '') ?? whole) ?? whole
}

interface MomentsRead {
  readonly type: ElementType
  readonly notes: readonly string[]
  readonly faults: readonly string[]
}

const { isAware: aware, firstMoments, secondMoments, masters } = momentSettings

export function momentsRead(given: MegatronSaid): MomentsRead {
  const said = [
    { option: firstMoments.option, type: typeNamed(given.firstMoments) },
    { option: secondMoments.option, type: typeNamed(given.secondMoments) },
  ]
  const options = said.map(({ option }) => option)
  const [first = whole, second = whole] = said.map(({ type }) => type)
  const type = elementBytes[first] >= elementBytes[second] ? first : second
  const narrow = said.flatMap((one) => (areNarrow(one.type) ? [one.option] : []))
  const lacks = !given.isAware && narrow.length > 0
  return {
    type,
    notes: compact(
      first !== second && `${options.join(' and ')} differ: both are counted in the wider type, ${type}`,
      typeNamed(given.masters) !== whole &&
        `${masters.option} ${given.masters}: master weights are counted in ${whole}`,
    ),
    faults: lacks ? [`${narrow.join(' and ')}: only with ${aware.option}`] : [],
  }
}
