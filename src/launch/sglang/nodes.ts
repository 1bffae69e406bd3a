/** Hosts that a server of SGLang is divided over: it stops at its start otherwise. Source: sgl-project/sglang 001067f, server_args.py, check_server_args. */
import { compact } from '../../compact.ts'
import type { Options } from '../read/options.ts'

interface Ranks {
  readonly tensors: number
  readonly pipeline: number
  readonly data: number
  /** Whether data ranks are groups of attention within the tensor ranks. */
  readonly attends: boolean
}

export function nodesRefused(
  options: Options,
  { tensors, pipeline, data, attends }: Ranks,
): readonly string[] {
  const written = options.text('--nnodes') ?? '1'
  if (!/^[1-9]\d{0,5}$/.test(written)) return []
  const nodes = Number(written)
  const ranks = tensors * pipeline
  return compact(
    ranks % nodes !== 0 &&
      `SGLang does not start: --nnodes ${nodes} does not divide its ${ranks} ranks (--tp-size times --pp-size)`,
    nodes > 1 &&
      data > 1 &&
      !attends &&
      `SGLang does not start: --dp-size ${data} on ${nodes} nodes (--nnodes) needs --enable-dp-attention`,
  )
}
