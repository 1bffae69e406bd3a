/**
 * The types of numbers, a row each, by the names that people use.
 *
 *   mxfp4   4 + 8/32 bits   an exponent of 8 bits for 32 elements   OCP Microscaling Formats v1.0, table 1
 *   nvfp4   4 + 8/16 bits   an e4m3 for 16 elements                 NVIDIA, "Introducing NVFP4" (2025)
 *
 * Both are `fp4` with the scales of their blocks. The scales of other types belong not to the type but to a checkpoint, which
 * states them (model/hugging-face/quantization.ts). A chip that lists `fp4` multiplies four-bit blocks whatever scales they have
 * (Blackwell: NVFP4 and MXFP4 alike); one that lists `mxfp4` or `nvfp4` multiplies only these (CDNA 4 has only the OCP's MX
 * formats: AMD, "Introducing AMD CDNA 4 Architecture").
 */
interface ElementRow {
  readonly name: string
  /** Bytes of one element, with the scales that are part of its format. */
  readonly bytes: number
  /** The type without the scales of its format. */
  readonly plain: string
  /** Names under which a chip may list its arithmetic, best first. */
  readonly multipliedAs: readonly string[]
  /** Wider types whose numbers a matmul takes beside these as they are: eight bits beside blocks of four (PTX ISA, tcgen05.mma kind::mxf8f6f4). */
  readonly besides: readonly string[]
  /**
   * Whether servers cast what meets weights of this type to it, on chips that multiply it, where a checkpoint says nothing else: all of vLLM, SGLang and
   * TensorRT-LLM do of FP8 and of NVFP4 (`--quantization fp8`, `modelopt_fp4`), of no other type (weights in int4, int8 and MXFP4 are met as they come).
   */
  readonly castsInputs: boolean
  /** The assumption that says what training reaches in this type over what it reaches in bf16, both as fractions of peak; null for no difference. */
  readonly share: 'fp8Share' | 'fp4Share' | null
}

/** The row of a format without scales, which chips list under its own name. */
const own = <Name extends string>(name: Name, bytes: number) => ({
  ...{ name, bytes, plain: name, share: null, castsInputs: false },
  multipliedAs: [name] as const,
  besides: [],
})

const besideEight = { besides: ['fp8'] } as const

export const elements = [
  own('fp32', 4),
  own('bf16', 2),
  { ...own('fp8', 1), share: 'fp8Share', castsInputs: true },
  own('int8', 1),
  { ...own('fp4', 0.5), ...besideEight, share: 'fp4Share', multipliedAs: ['fp4', 'nvfp4', 'mxfp4'] },
  {
    ...own('mxfp4', (4 + 8 / 32) / 8),
    ...besideEight,
    plain: 'fp4',
    share: 'fp4Share',
    multipliedAs: ['mxfp4', 'fp4'],
  },
  {
    ...own('nvfp4', (4 + 8 / 16) / 8),
    ...besideEight,
    plain: 'fp4',
    share: 'fp4Share',
    multipliedAs: ['nvfp4', 'fp4'],
    castsInputs: true,
  },
  own('int4', 0.5),
] as const satisfies readonly ElementRow[]

export type ElementType = (typeof elements)[number]['name']
