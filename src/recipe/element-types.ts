/**
 * The types of numbers, a row each, by the names that people use.
 *
 *   mxfp4   4 + 8/32 bits   an exponent of 8 bits for 32 elements   OCP Microscaling Formats v1.0, table 1
 *   nvfp4   4 + 8/16 bits   an e4m3 for 16 elements                 NVIDIA, "Introducing NVFP4" (2025)
 *
 * Both are `fp4` with the scales of their blocks. Scales of the other types are not the type's but a checkpoint's, which says
 * them (model/hugging-face/quantization.ts). A chip that says `fp4` multiplies blocks in four bits whatever scales they have
 * (Blackwell: NVFP4 and MXFP4 alike); one that says `mxfp4` or `nvfp4` multiplies these alone (CDNA 4 has the OCP's MX
 * formats alone: AMD, "Introducing AMD CDNA 4 Architecture").
 */
interface ElementRow {
  readonly name: string
  /** Of one element, with the scales that are part of its format. */
  readonly bytes: number
  /** The type without what its format says of scales. */
  readonly plain: string
  /** Names under which a chip may have its arithmetic, best first. */
  readonly multipliedAs: readonly string[]
  /** Of the fraction of peak that training reaches in bf16, the assumption that says what it reaches in this; all where null. */
  readonly share: 'fp8Share' | 'fp4Share' | null
}

/** What stands alone: a format without scales, which chips have under its own name. */
const own = <Name extends string>(name: Name, bytes: number) => ({
  ...{ name, bytes, plain: name, share: null },
  multipliedAs: [name] as const,
})

export const elements = [
  own('fp32', 4),
  own('bf16', 2),
  { ...own('fp8', 1), share: 'fp8Share' },
  own('int8', 1),
  { ...own('fp4', 0.5), share: 'fp4Share', multipliedAs: ['fp4', 'nvfp4', 'mxfp4'] },
  { ...own('mxfp4', (4 + 8 / 32) / 8), plain: 'fp4', share: 'fp4Share', multipliedAs: ['mxfp4', 'fp4'] },
  { ...own('nvfp4', (4 + 8 / 16) / 8), plain: 'fp4', share: 'fp4Share', multipliedAs: ['nvfp4', 'fp4'] },
  own('int4', 0.5),
] as const satisfies readonly ElementRow[]

export type ElementType = (typeof elements)[number]['name']
