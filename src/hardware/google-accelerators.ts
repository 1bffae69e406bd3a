/**
 * TPUs as Google's tools name them: the chip of the catalogue, and how many a number in a name counts for one, as the names of some
 * generations count TensorCores. Sources: GKE, "Plan TPUs in GKE" (machine types and `cloud.google.com/gke-tpu-accelerator`);
 * AI-Hypercomputer/maxtext e591f30, src/maxtext/utils/accelerator_to_spec_map.py (v5p-16 has 8 devices of two cores each, tpu7x-128 is
 * 4x4x4, v6e-256 is 16x16).
 */
export interface GoogleAccelerator {
  readonly chip: string
  /** Values of the node selector. */
  readonly selectors: readonly string[]
  /** What xpk's names of types begin with: `v5p` in `v5p-128`. */
  readonly prefixes: readonly string[]
  readonly countedPerChip: number
}

export const googleAccelerators: readonly GoogleAccelerator[] = [
  { chip: 'tpu-v3', selectors: [], prefixes: [], countedPerChip: 2 },
  { chip: 'tpu-v4', selectors: ['tpu-v4-podslice'], prefixes: ['v4'], countedPerChip: 2 },
  {
    chip: 'tpu-v5e',
    selectors: ['tpu-v5-lite-podslice', 'tpu-v5-lite-device'],
    prefixes: ['v5litepod', 'v5e'],
    countedPerChip: 1,
  },
  { chip: 'tpu-v5p', selectors: ['tpu-v5p-slice'], prefixes: ['v5p'], countedPerChip: 2 },
  { chip: 'tpu-v6e', selectors: ['tpu-v6e-slice'], prefixes: ['v6e'], countedPerChip: 1 },
  { chip: 'tpu-7x', selectors: ['tpu7x'], prefixes: ['tpu7x'], countedPerChip: 2 },
]
