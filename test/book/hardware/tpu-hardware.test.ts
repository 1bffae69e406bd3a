import { book } from '../../../src/assumptions/book.ts'
import { computeRates, peakFlops } from '../../../src/cost/compute/compute.ts'
import type { Chip, TorusSystem } from '../../../src/hardware/chip.ts'
import { volume } from '../../../src/hardware/cluster/box.ts'
import type { Cluster, TorusNetwork } from '../../../src/hardware/cluster/cluster.ts'
import { resolveCluster } from '../../../src/hardware/cluster/resolve.ts'
import { groupCost } from '../../../src/hardware/network/collective.ts'
import { catalogueChip } from '../../catalogue.ts'
import { section } from '../case.ts'
import { inventedChip } from '../chips.ts'
import { torus } from './networks.ts'

const names = {
  v3: 'tpu-v3',
  v4p: 'tpu-v4',
  v5p: 'tpu-v5p',
  v5e: 'tpu-v5e',
  v6e: 'tpu-v6e',
  tpu7x: 'tpu-7x',
} as const

section('TPU hardware', (hold) => {
  for (const [short, name] of Object.entries(names)) {
    const chip = catalogueChip(name, 'book')
    const system = torusOf(chip)
    const { cluster, network } = wholePod(chip)
    const bfloat = computeRates(chip, 'bf16', book)
    const int = computeRates(chip, 'int8', book)
    const oneAxis = gatherSecondsPerByte(network, [0])
    const allAxes = gatherSecondsPerByte(
      network,
      network.topology.map((_, axis) => axis),
    )
    hold(`tpu-spec-${short}`, `the catalogue has the book's ${name}`, () => ({
      pod: system.pod,
      pod_chips: cluster.chips,
      host: system.host,
      chips_per_host: volume(system.host),
      hbm_capacity_bytes: chip.hbmBytes,
      hbm_bytes_per_s: chip.hbmBytesPerSecond,
      flops_bf16: peakFlops(chip, 'bf16'),
      ops_int8: peakFlops(chip, 'int8'),
      ici_link_oneway_bytes_per_s: system.linkBytesPerSecond,
      ici_link_bidi_bytes_per_s: 1 / oneAxis,
      ici_axes: network.topology.length,
      ici_links_per_chip: 1 / allAxes / system.linkBytesPerSecond,
      dcn_bytes_per_s_per_chip: network.dcnBytesPerSecondPerChip,
      pcie_bytes_per_s_per_chip: chip.hostBytesPerSecond,
    }))
    hold(`tpu-derived-${short}`, `the intensities of ${name} are those of its prices`, () => ({
      alpha_hbm_bf16: bfloat.secondsPerByte / bfloat.secondsPerFlop,
      alpha_hbm_int8: int.secondsPerByte / int.secondsPerFlop,
      alpha_ici_bidi_1axis: oneAxis / bfloat.secondsPerFlop,
      alpha_ici_allaxes: allAxes / bfloat.secondsPerFlop,
      alpha_dcn: dcnSecondsPerByte(network) / bfloat.secondsPerFlop,
      beta_hbm_over_ici: oneAxis / bfloat.secondsPerByte,
      pod_flops_bf16: cluster.chips * peakFlops(chip, 'bf16'),
      pod_hbm_bytes: cluster.chips * chip.hbmBytes,
    }))
  }

  hold('tpu-v5p-pod', 'a v5p pod resolves to all of its FLOPs', () => {
    const { cluster } = wholePod(catalogueChip('tpu-v5p', 'book'))
    return { pod_flops: cluster.chips * peakFlops(cluster.chip, 'bf16') }
  })

  hold('tpu-v5p-egress', 'a v5p sends over six links at once, and its share of the host over DCN', () => {
    const { network } = wholePod(catalogueChip('tpu-v5p', 'book'))
    return {
      total_egress: 1 / gatherSecondsPerByte(network, [0, 1, 2]),
      dcn_per_chip: 1 / dcnSecondsPerByte(network),
    }
  })

  hold('tpu-q2-v5e-pod', 'a v5e pod has the hosts, FLOPs and HBM of 256 chips', () => {
    const { cluster } = wholePod(catalogueChip('tpu-v5e', 'book'))
    return {
      ...podTotals(cluster),
      flops_with_2e14: cluster.chips * peakFlops(inventedChip(2e14), 'bf16'),
    }
  })

  hold('tpu-q2-v5p-pod', 'a v5p pod has the hosts, FLOPs and HBM of 8960 chips', () =>
    podTotals(wholePod(catalogueChip('tpu-v5p', 'book')).cluster),
  )

  hold('in-v5e8-totals', 'eight v5e have eight times the HBM, bandwidth and FLOPs of one', (input) => {
    const { cluster } = resolved(catalogueChip('tpu-v5e', 'book'), { chips: input('chips') })
    return {
      hbm_bytes: cluster.chips * cluster.chip.hbmBytes,
      hbm_bw: cluster.chips / computeRates(cluster.chip, 'bf16', book).secondsPerByte,
      flops: cluster.chips * peakFlops(cluster.chip, 'bf16'),
    }
  })

  for (const [id, name] of [
    ['ai-flops-per-usd-H100', 'h100-sxm'],
    ['ai-flops-per-usd-v5e', 'tpu-v5e'],
  ] as const) {
    hold(id, `a dollar buys so many FLOPs of ${name}`, () => {
      const chip = catalogueChip(name, 'book')
      return { flops_per_usd: (peakFlops(chip, 'bf16') * 3600) / (chip.usdPerHour ?? 0) }
    })
  }

  hold('in-prefill-tp', 'the intensity of one ICI axis of v5e bounds tensor parallelism', (input) => {
    const secondsPerByte = gatherSecondsPerByte(torus([16], input('W_ici') / 2), [0])
    const { secondsPerFlop } = computeRates(inventedChip(input('flops_per_s')), 'bf16', book)
    return { alpha: secondsPerByte / secondsPerFlop }
  })
})

function podTotals(cluster: Cluster) {
  return {
    hosts: cluster.chips / volume(torusOf(cluster.chip).host),
    flops: cluster.chips * peakFlops(cluster.chip, 'bf16'),
    hbm_bytes: cluster.chips * cluster.chip.hbmBytes,
  }
}

function torusOf(chip: Chip): TorusSystem {
  if (chip.system.kind !== 'torus') throw new RangeError(`${chip.name} is no torus`)
  return chip.system
}

function wholePod(chip: Chip) {
  return resolved(chip, { topology: torusOf(chip).pod })
}

function resolved(chip: Chip, request: { readonly topology?: readonly number[]; readonly chips?: number }) {
  const resolution = resolveCluster({ chip, ...request })
  if ('problem' in resolution) throw new RangeError(resolution.problem.detail)
  const { cluster } = resolution
  if (cluster.network.kind !== 'torus') throw new RangeError(`${chip.name} is no torus`)
  return { cluster, network: cluster.network }
}

function gatherSecondsPerByte(network: TorusNetwork, physical: readonly number[]): number {
  const parts = physical.map((axis) => ({ physical: axis, size: network.topology[axis] ?? 1, stride: 1 }))
  return groupCost(network, { kind: 'torus', parts, slices: 1 }, book).perByte
}

function dcnSecondsPerByte(network: TorusNetwork): number {
  return groupCost({ ...network, slices: 2 }, { kind: 'torus', parts: [], slices: 2 }, book).perByte
}
