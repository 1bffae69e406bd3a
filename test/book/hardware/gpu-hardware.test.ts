import { book } from '../../../src/assumptions/book.ts'
import { computeRates } from '../../../src/cost/compute/compute.ts'
import type { Chip } from '../../../src/hardware/chip.ts'
import { groupCost } from '../../../src/hardware/network/collective.ts'
import { catalogueChip } from '../../catalogue.ts'
import { section } from '../case.ts'
import { switched } from './networks.ts'

/** So many units that (n-1)/n is 1 for all purposes: the book's V/W. */
const many = 2 ** 40

section('GPU hardware', (hold) => {
  for (const [gpu, name] of [
    ['A100', 'a100-80g-sxm'],
    ['H100', 'h100-sxm'],
    ['H200', 'h200-sxm'],
    ['B200', 'b200-sxm'],
  ] as const) {
    hold(`gpu-spec-${gpu}`, `the catalogue has the book's ${gpu}`, () => {
      const { hbmBytes, hbmBytesPerSecond, peakFlopsPerSecond: peak } = catalogueChip(name, 'book')
      const table = {
        hbm_capacity: hbmBytes,
        flops_fp4: peak.fp4 ?? null,
        ...(gpu === 'H100' ? {} : { hbm_bw: hbmBytesPerSecond }),
        ...(gpu === 'B200' ? {} : { flops_bf16: peak.bf16 ?? 0 }),
      }
      return gpu === 'A100' || gpu === 'B200' ? { ...table, flops_fp8_int8: peak.int8 ?? 0 } : table
    })
  }

  for (const [generation, name] of [
    ['Ampere', 'a100-80g-sxm'],
    ['Hopper', 'h100-sxm'],
  ] as const) {
    hold(`gpu-nvlink-${generation}`, `a node of ${generation} has the book's size and bandwidth`, () => {
      const node = tierOf(catalogueChip(name, 'book'), 0)
      return { gpu_bw: node.rate, node_size: node.units }
    })
  }
  hold('gpu-nvlink-Blackwell', 'a node of Blackwell has 8 or 72 GPUs', () => {
    const [small, large] = [
      tierOf(catalogueChip('b200-sxm', 'book'), 0),
      tierOf(catalogueChip('gb200-nvl72', 'book'), 0),
    ]
    return { gpu_bw: small.rate, node_size: [small.units, large.units] }
  })

  for (const [node, name] of [
    ['H100', 'h100-sxm'],
    ['B200', 'b200-sxm'],
    ['GB200_NVL72', 'gb200-nvl72'],
  ] as const) {
    hold(`gpu-node-${node}`, `gathers in and across nodes of ${node} set the book's intensities`, () => {
      const chip = catalogueChip(name, 'book')
      const { secondsPerFlop } = computeRates(chip, 'bf16', book)
      const [inside, outside] = [tierOf(chip, 0), tierOf(chip, 1)]
      const gatherInside = gatherSecondsPerByte([[many, inside.rate]], many)
      const across = acrossNodes(chip)
      return {
        gpus_per_node: inside.units,
        gpu_egress: 1 / gatherInside,
        node_egress: 1 / across,
        per_gpu_scaleout: outside.rate,
        alpha_node: gatherInside / secondsPerFlop,
        alpha_scaleout: across / secondsPerFlop,
      }
    })
  }

  const h100 = catalogueChip('h100-sxm', 'book')
  const [node, leaf, spine] = [tierOf(h100, 0), tierOf(h100, 1), tierOf(h100, 2)]
  const unit = node.units * leaf.units

  hold('gpu-quiz2-q1', 'the GPUs of a node can send no more than all of them together', (input) => {
    const sent = input('gpus') * node.rate
    return { gpu_total: sent, peak: Math.min(sent, node.units * node.rate) }
  })

  hold('gpu-superpod', 'a scalable unit of the catalogue has 32 nodes behind a full fat tree', (input) => ({
    su_nodes: leaf.units,
    su_gpus: unit,
    leaf_bw: unit * leaf.rate,
    spine_bw: input('gpus') * spine.rate,
    per_gpu_scaleout: leaf.rate,
    per_node: node.units * leaf.rate,
  }))

  hold('gpu-quiz3-q1', 'a node has the same bandwidth at every level of the tree', () => ({
    node: node.units * leaf.rate,
    leaf_total: unit * leaf.rate,
    su_to_spine: unit * spine.rate,
    spine_total: 4 * unit * spine.rate,
    per_node_everywhere: node.units * spine.rate,
  }))

  hold('gpu-level-table', 'gathers over node, leaf and spine run at the slowest level', () => ({
    'node.deg': node.units,
    'node.cable': node.units * node.rate,
    'node.coll': 1 / gatherSecondsPerByte([[many, node.rate]], many),
    'leaf.deg': leaf.units,
    'leaf.cable': unit * leaf.rate,
    'leaf.coll': 1 / acrossNodes(h100),
    'spine.cable': 4 * unit * spine.rate,
    'spine.coll':
      1 /
      gatherSecondsPerByte(
        [
          [node.units, node.rate],
          [many, leaf.rate],
          [4, spine.rate],
        ],
        node.units * many * 4,
      ),
  }))
})

function tierOf({ name, system }: Chip, level: number): { readonly units: number; readonly rate: number } {
  const tier = system.kind === 'switched' ? system.tiers[level] : undefined
  if (!tier) throw new RangeError(`${name} has no tier ${level}`)
  return { units: tier.size ?? Number.POSITIVE_INFINITY, rate: tier.bytesPerSecondPerChip }
}

function gatherSecondsPerByte(tiers: Parameters<typeof switched>[0], gpus: number): number {
  return groupCost(switched(tiers), { kind: 'switched', spans: [{ size: gpus, stride: 1 }] }, book).perByte
}

/** Of many nodes: the scale-out network's own, whether it or the node is slower. */
function acrossNodes(chip: Chip): number {
  const [inside, outside] = [tierOf(chip, 0), tierOf(chip, 1)]
  const network = switched([
    [inside.units, inside.rate],
    [many, outside.rate],
  ])
  const spans = [{ size: inside.units * many, stride: 1 }]
  return groupCost(network, { kind: 'switched', spans }, book).loads[1] ?? 0
}
