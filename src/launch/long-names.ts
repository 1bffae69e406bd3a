/** What torch and JAX call the types that no quantisation makes; narrower ones have names of their own at each framework. */
import type { ElementType } from '../recipe/element-types.ts'

const names = { bf16: 'bfloat16', fp32: 'float32' } as const

export function longName(type: ElementType): string {
  return type === 'fp32' ? names.fp32 : names.bf16
}

/** float16 is as wide as bfloat16, which is all that is counted. */
export function typeOfLongName(name: string): keyof typeof names {
  return name === names.fp32 ? 'fp32' : 'bf16'
}

/** The types of a run in which nothing is mixed. */
export const unmixed = { weights: 'fp32', compute: 'fp32', gradients: 'fp32' } as const
