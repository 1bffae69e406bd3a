/**
 * What training holds of a weight whose matmuls run in fewer bits than it has, a row each. Forwards a matmul reads the weight by rows, backwards by
 * columns, each in the narrow type; on Hopper these are two arrays, and so they are under block scaling (MXFP8, NVFP4) everywhere.
 *
 *   none      the casts are dropped after use (torchao, XLA)
 *   beside    both casts stay from the first microbatch on, beside the weight: Transformer Engine's, unless it is told of the next
 *   instead   both casts, and no weight in its own type: Megatron-LM's `--fp8-param-gather` and `--fp4-param-gather`, which need the
 *             distributed optimizer, and are otherwise like `beside`; on in Megatron-Bridge's precision configs
 *
 * Bytes of a parameter: its own type's if `own`, and `copies` times the narrow type's. Embeddings and the head have matmuls in bf16.
 *
 * Sources: NVIDIA/TransformerEngine @d0067d0da, pytorch/module/base.py (quantize_weight: workspaces are kept where microbatches are told apart),
 * pytorch/csrc/quantizer.cpp (no transpose where matmuls take both orders, as Blackwell's do under one scale for a tensor: a byte less than is
 * counted there); NVIDIA/Megatron-LM @d98e8a64dd, megatron/core/extensions/transformer_engine.py, megatron/core/optimizer/optimizer_config.py
 * ("mxfp8 without ... will use significant amount additional GPU memory"); NVIDIA-NeMo/Megatron-Bridge v0.5.0, training/mixed_precision.py.
 * The second byte is measured: golden values of gpt3_weekly_mcore_tp4_cp2_current_scaling_native_fp8 (12 layers of 512, `--fp8-param-gather`)
 * have 300 733 952 bytes allocated on H100 and 291 296 768 on GB200, which differ by one byte for each of the 9 437 184 parameters of its layers.
 */
import { rowsByName } from './rows.ts'

export interface WeightCopiesRow {
  readonly name: string
  /** Whether the weight is there in its own type too: where the optimizer's states are sharded, and where they are not. */
  readonly own: { readonly sharded: boolean; readonly whole: boolean }
  readonly copies: number
}

const kept = { sharded: true, whole: true }

export const weightCopiesRows = [
  { name: 'none', own: kept, copies: 0 },
  { name: 'beside', own: kept, copies: 2 },
  { name: 'instead', own: { sharded: false, whole: true }, copies: 2 },
] as const satisfies readonly WeightCopiesRow[]

export type WeightCopies = (typeof weightCopiesRows)[number]['name']

export const weightCopies: readonly WeightCopies[] = weightCopiesRows.map(({ name }) => name)

export const weightCopiesRow: (name: string) => WeightCopiesRow =
  rowsByName<WeightCopiesRow>(weightCopiesRows)
