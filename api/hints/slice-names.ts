/**
 * Names of whole slices, as Google Cloud has them (`v5p-1024`, `v6e-256`): a chip and a number, which counts TensorCores where a chip
 * was sold by two of them, and chips elsewhere. Source: cloud.google.com/tpu/docs, each version's page; of TPU7x
 * AI-Hypercomputer/maxtext e591f30, src/maxtext/utils/accelerator_to_spec_map.py (tpu7x-128 is 4x4x4).
 */
import { resolveCluster } from '../../src/hardware/cluster/resolve.ts'
import { googleAccelerators } from '../../src/hardware/google-accelerators.ts'
import { chipOf } from '../../src/hardware/record.ts'
import { type Catalogue, knownChip } from '../catalogue.ts'

export interface SliceName {
  readonly chip: string
  readonly topology: readonly number[]
  /** The end of the sentence that says what is wrong with the name. */
  readonly text: string
}

/** Null if the name is not that of a slice of a chip in the catalogue. */
export function sliceNamed(catalogue: Catalogue, name: string): SliceName | null {
  const [, word = '', digits = ''] = /^(.+?)(?:-?litepod)?-(\d{1,6})$/i.exec(name) ?? []
  const record = word ? knownChip(catalogue, word) : undefined
  if (!record) return null
  const chip = chipOf(record, 'calibrated')
  if (chip.kind !== 'tpu') return null
  const perChip = googleAccelerators.find((row) => row.chip === record.name)?.countedPerChip ?? 1
  const chips = Number(digits) / perChip
  const resolution = Number.isInteger(chips) && chips > 0 ? resolveCluster({ chip, chips }) : null
  const network = resolution && 'cluster' in resolution ? resolution.cluster.network : null
  if (network?.kind !== 'torus') return null
  const counts = perChip > 1 ? `, ${perChip} to a chip in Google's count` : ''
  const { topology } = network
  const hardware = JSON.stringify({ chip: record.name, topology })
  return { chip: record.name, topology, text: `; it is a slice of ${chips} chips${counts}: ${hardware}` }
}
