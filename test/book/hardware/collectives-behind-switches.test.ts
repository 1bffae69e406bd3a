import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { book } from '../../../src/assumptions/book.ts'
import type { SwitchedNetwork } from '../../../src/hardware/cluster/cluster.ts'
import { groupCost } from '../../../src/hardware/network/collective.ts'
import type { RankSpan } from '../../../src/hardware/network/group.ts'
import { section } from '../case.ts'
import {
  activation,
  commTime,
  einsum,
  forwardWindow,
  movedBytes,
  type Shape,
  weight,
} from '../products/einsum.ts'
import { onSwitches, switched } from './networks.ts'

const reducing: Assumptions = { ...book, inNetworkReduction: true }

/** So many nodes that (n-1)/n is 1. */
const many = 2 ** 40

section('collectives behind switches', (hold) => {
  for (const id of ['gpu-quiz2-q3', 'gpu-popquiz1']) {
    hold(id, 'a gather in a node brings every GPU what the others have', (input) => {
      const cost = priced(switched([[input('N'), input('W_gpu')]]), { size: input('N'), stride: 1 })
      return { exact_s: input('bytes') * cost.perByte, approx_s: input('bytes') * cost.permutePerByte }
    })
  }

  hold('gpu-crossnode-bw', 'a gather over a tree is as fast as its slowest level', (_, { levels }) => {
    const network = tree(levels as readonly Level[])
    const cost = priced(network, { size: 8 * 32 * 4, stride: 1 })
    const [node, leaf, spine] = cost.loads.map((load) => 1 / load)
    return {
      node: node ?? 0,
      leaf: leaf ?? 0,
      spine: spine ?? 0,
      effective: 1 / cost.perByte,
    }
  })

  hold('gpu-a2a-crossnode', 'an AllToAll of two nodes waits for what leaves them', (input) => {
    const network = nodes(input('W_gpu'), input('W_node'))
    const time = (size: number) => input('bytes') * priced(network, { size, stride: 1 }).allToAllPerByte
    return {
      two_node_exact_s: time(8 * input('M')),
      degradation_exact: time(8 * input('M')) / time(8),
    }
  })

  hold('gpu-popquiz3-Y1', 'a gather across nodes waits for the scale-out network', (input) => {
    const [D, F] = [input('D'), input('F')]
    const inside = priced(switched([[8, input('W_gpu')]]), { size: 8, stride: 1 })
    const across = priced(nodes(input('W_gpu'), input('W_node')), { size: 8 * many, stride: 1 })
    const bytes = gathered(D, F, 1)
    const unit = onSwitches(nodes(input('W_gpu'), input('W_node')), { fsdp: 8 * 32 })
    return {
      node_s: bytes * inside.permutePerByte,
      scaleout_s: bytes * (across.loads[1] ?? 0),
      total_s: bytes * across.perByte,
      precise_Yle8_s: commTime(unit, gather(D, F)),
    }
  })

  hold('gpu-popquiz3-Y64', 'what is sharded within 8 nodes besides is gathered by fewer rivals', (input) => {
    const network = nodes(input('W_gpu'), input('W_node'))
    const across = priced(network, { size: many, stride: input('Y_inner') })
    const bytes = gathered(input('D'), input('F'), input('Y_inner'))
    return { scaleout_s: bytes * (across.loads[1] ?? 0), total_s: bytes * across.perByte }
  })

  hold('gpu-quiz4-q3', 'a switch that reduces takes the array in once', (input) => {
    const network = switched([[8, input('W_link')]], true)
    const cost = priced(network, { size: 8 / input('Y'), stride: input('Y') }, reducing)
    return { time_s: gathered(input('D'), input('F'), input('Y')) * cost.allReducePerByte }
  })

  hold('gpu-quiz4-q4', 'spines that reduce take in what a unit holds once', (input) => {
    const perGpu = input('W_spine_per_su') / input('Y')
    const network = switched(
      [
        [8, 4.5e11],
        [32, perGpu],
        [null, perGpu],
      ],
      true,
    )
    const cost = priced(network, { size: 4, stride: input('Y') }, reducing)
    return { time_s: gathered(input('D'), input('F'), input('Y')) * cost.allReducePerByte }
  })

  hold('gpu-quiz4-q5', 'two nodes have each but half to send, and the node binds', (input) => {
    const cost = priced(nodes(input('W_gpu'), input('W_node')), { size: 8 * input('M'), stride: 1 })
    const [node = 0, scaleOut = 0] = cost.loads
    return { node_bw: 1 / node, scaleout_bw: 1 / scaleOut, effective: 1 / cost.perByte }
  })
})

interface Level {
  readonly D: number
  /** Of one unit of the level below, all its chips together. */
  readonly W: number
}

function tree(levels: readonly Level[]): SwitchedNetwork {
  let below = 1
  return switched(
    levels.map(({ D, W }): [number, number] => {
      const rate = W / below
      below *= D
      return [D, rate]
    }),
  )
}

function nodes(perGpu: number, perNode: number): SwitchedNetwork {
  return switched([
    [8, perGpu],
    [null, perNode / 8],
  ])
}

function priced(network: SwitchedNetwork, span: RankSpan, terms = book) {
  return groupCost(network, { kind: 'switched', spans: [span] }, terms)
}

/** W[D_X, F_Y] gathered over X before a product that keeps F. */
function gather(D: number, F: number): Shape {
  const component = einsum(activation('B_X F_Y'), activation('B_X D'), weight('D_X F_Y'))
  return { component, extents: { B: 1, D, F } }
}

/** What one group gathers, where the inner axis has so many chips. */
function gathered(D: number, F: number, inner: number): number {
  const { mesh } = onSwitches(switched([[null, 1]]), { fsdp: 2, tensor: inner })
  const [bytes = 0] = movedBytes(forwardWindow({ ...gather(D, F), mesh }))
  return bytes
}
