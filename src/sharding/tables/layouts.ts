/**
 * The named layouts: which axes are larger than 1, and the ZeRO stage. Each is the training table on such a mesh.
 */
import type { Axis } from '../axis.ts'
import type { ZeroStage } from '../states.ts'

export interface Layout {
  readonly name: string
  readonly axes: readonly Axis[]
  readonly zeroStage: ZeroStage
}

export const layouts = {
  dp: { name: 'data parallel', axes: ['data'], zeroStage: 0 },
  zero1: { name: 'ZeRO-1', axes: ['data'], zeroStage: 1 },
  zero2: { name: 'ZeRO-2', axes: ['data'], zeroStage: 2 },
  fsdp: { name: 'FSDP (ZeRO-3)', axes: ['fsdp'], zeroStage: 3 },
  hsdp: { name: 'HSDP', axes: ['data', 'fsdp'], zeroStage: 3 },
  tensor: { name: 'tensor parallel', axes: ['tensor'], zeroStage: 0 },
  fsdpTensor: { name: 'FSDP + tensor', axes: ['fsdp', 'tensor'], zeroStage: 3 },
  context: { name: 'context parallel', axes: ['context'], zeroStage: 3 },
  tensor2d: { name: '2D tensor parallel', axes: ['tensor', 'tensor2'], zeroStage: 0 },
} as const satisfies Readonly<Record<string, Layout>>
