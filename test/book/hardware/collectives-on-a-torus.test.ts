import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { book } from '../../../src/assumptions/book.ts'
import { type CollectiveQuery, collectiveEstimate } from '../../../src/collectives.ts'
import { networkPrices } from '../../../src/cost/communication/network.ts'
import { createScale, setMesh, termOf, termValue } from '../../../src/cost/compile/term.ts'
import type { TorusNetwork } from '../../../src/hardware/cluster/cluster.ts'
import { collectiveTime, groupCost } from '../../../src/hardware/network/collective.ts'
import { elementBytes } from '../../../src/recipe/element-type.ts'
import { axesOfArray, type ShardedArray, shardedArray } from '../../../src/sharding/array.ts'
import { axisSet, type Mesh, meshSize, unitMesh } from '../../../src/sharding/axis.ts'
import { type Extents, monomial } from '../../../src/sharding/monomial.ts'
import { allGather, allReduce, type Move, reshard } from '../../../src/sharding/move.ts'
import { freely } from '../../rounding.ts'
import { section } from '../case.ts'
import { crossing } from '../crossing.ts'
import { type Arrangement, clusterOf, onRings, torus } from './networks.ts'

const forward = { pass: 'forward', every: 'microbatch' } as const
const withLatency: Assumptions = { ...book, latencyFactor: 1 }
const finite: Assumptions = { ...book, finiteRings: true }

section('collectives on a torus', (hold) => {
  hold('sh-ag-unidir', 'a gather around a ring takes half the time of one along a line', (input) => {
    const network = (wraps: boolean) =>
      torus([input('axis')], input('link_oneway_bytes_per_s'), { wraps, hopSeconds: 1 })
    const oneHopASecond = estimate(network(true), 'AllGather', 0, withLatency)
    return {
      unidirectional_s: estimate(network(false), 'AllGather', input('bytes')).seconds,
      bidirectional_approx_s: estimate(network(true), 'AllGather', input('bytes')).seconds,
      bidirectional_hops: oneHopASecond.latencySeconds,
    }
  })

  hold('sh-popquiz2-a', 'four v5e in a row gather slower than a ring of four would', (input) => {
    const gather = (wraps: boolean) =>
      estimate(torus([input('axis')], input('W_uni'), { wraps }), 'AllGather', input('bytes')).seconds
    const array = shardedArray('A', 'weight', 'I_Y')
    return {
      ideal_ring_s: gather(true),
      no_wrap_s: gather(false),
      per_device_bytes: localElements(array, { I: input('bytes') }, { ...unitMesh, tensor: input('axis') }),
    }
  })

  hold(
    'sh-multiaxis-rule',
    'two rings gather at twice the bandwidth, or as fast as the hops allow',
    (input, { axes }) => {
      const network = torus(axes as readonly number[], input('W_bidi') / 2, { hopSeconds: input('t_hop_s') })
      const { bandwidthSeconds, latencySeconds, seconds } = estimate(
        network,
        'AllGather',
        input('bytes'),
        withLatency,
      )
      return { bandwidth_s: bandwidthSeconds, latency_s: latencySeconds, total_s: seconds }
    },
  )

  hold('sh-allreduce-rule', 'an AllReduce is two gathers, an AllToAll a quarter of one', (input) => {
    const network = torus([8], input('W_bidi') / 2)
    const time = (op: CollectiveQuery['op']) => estimate(network, op, input('bytes')).seconds
    return {
      ag_s: time('AllGather'),
      rs_s: time('ReduceScatter'),
      ar_s: time('AllReduce'),
      a2a_1d_s: time('AllToAll'),
    }
  })

  hold('prof-rs', 'a profiled ReduceScatter ran at the bandwidth of a ring', (input) => ({
    time_s: estimate(torus([4], input('W_bidi') / 2), 'ReduceScatter', input('bytes')).seconds,
  }))

  for (const id of ['sh-a2a-nd-16', 'sh-a2a-nd-4x4', 'sh-a2a-nd-4x4x4', 'sh-a2a-nd-16x16']) {
    hold(id, 'an AllToAll over rings waits for the longest of them', (input, { mesh }) => {
      const network = torus(mesh as readonly number[], input('W_bidi') / 2)
      return { time_s: estimate(network, 'AllToAll', input('total_bytes')).seconds }
    })
  }

  hold('sh-a2a-footnote', 'in an AllToAll each chip passes on a quarter of the square of chunks', (input) => {
    const network = torus([input('N')], 0.5)
    const sent = estimate(network, 'AllToAll', input('total_bytes')).seconds
    const chunk = localElements(
      shardedArray('A', 'activation', 'I_X J_Y'),
      { I: input('total_bytes'), J: 1 },
      { ...unitMesh, fsdp: input('N'), tensor: input('N') },
    )
    return { chunks_per_device: sent / chunk, bytes_per_device_sent: sent }
  })

  hold('sh-q2-1', 'an AllGather over one axis may use an idle one as well', (input) => {
    const arrangement = cube(input('W_bidi'))
    const extents = { B: input('B'), D: input('D') }
    const alone = shardedArray('A', 'activation', 'B_X D_Y')
    const withIdle = shardedArray('A', 'activation', 'B_XZ D_Y')
    return {
      time_s: moveTime(arrangement, allGather(alone, ['fsdp'], forward), extents),
      time_using_idle_Z_s: moveTime(arrangement, allGather(withIdle, ['fsdp', 'tensor2'], forward), extents),
    }
  })

  hold('sh-q2-3', 'an AllReduce over one axis of an array that two others shard', (input) => {
    const array = shardedArray('A', 'activation', 'B_X D_Y')
    const extents = { B: input('B'), D: input('D') }
    const move = allReduce(array, ['tensor2'], forward)
    return { time_s: moveTime(cube(input('W_bidi')), move, extents) }
  })

  hold('sh-q10', 'what crosses a link of a ring of 16, in scalars', (input) => {
    const size = input('N') ** 2
    const scalars = (wraps: boolean, op: CollectiveQuery['op'], terms: Assumptions) =>
      estimate(torus([input('D_devices')], 1, { wraps }), op, size, terms).seconds
    return {
      ag_uni_scalars: scalars(false, 'AllGather', finite),
      ag_bidi_scalars: scalars(true, 'AllGather', finite),
      a2a_bidi_asymptotic: scalars(true, 'AllToAll', book),
    }
  })

  hold('in-kvshard-a2a', 'Q goes from heads to batch in an AllToAll over the axis that turns', (input) => {
    const heads = shardedArray('Q', 'activation', 'B N_YZ H')
    const batch = shardedArray('Q', 'activation', 'B_Z N_Y H')
    const [move] = reshard(heads, batch, forward)
    if (!move) throw new RangeError('An axis that changes its dimension moves')
    const [Y, Z] = [input('Y'), input('Z')]
    const rings = { tensor: { size: Y, rings: 1 }, tensor2: { size: Z, rings: 1 } }
    const arrangement = onRings(rings, input('W_bidi'))
    const extents = { B: input('B'), N: input('N'), H: input('H') }
    const each = moveTime(arrangement, move, extents)
    return {
      a2a_bytes: bytesMoved(arrangement.mesh, move, extents),
      a2a_each_s: each,
      both_s: 2 * each,
    }
  })

  hold('in-appC-latency', 'below a size, a gather takes as long as its hops', (input) => {
    const network = torus([input('shards')], input('W_uni'), { hopSeconds: input('t_hop') })
    const parts = [{ physical: 0, size: input('shards'), stride: 1 }]
    const cost = groupCost(network, { kind: 'torus', parts, slices: 1 }, withLatency)
    const array = shardedArray('In', 'weight', 'B D')
    const bytes = localElements(array, { B: input('BS'), D: input('D') }, unitMesh)
    const floor = collectiveTime(0, cost.perByte, cost.latency, cost.latencyIsFloor)
    return {
      threshold_bytes: crossing((size) => size * cost.perByte - floor, 1, 1e12),
      act_bytes: bytes,
      latency_bound: estimate(network, 'AllGather', bytes, withLatency).bound === 'latency',
    }
  })

  hold(
    'sh-popquiz1',
    'an array sharded over two of three axes is held once for each of the third',
    (_, inputs) => {
      const mesh = meshOf(inputs.mesh)
      const [I = 0, J = 0] = inputs.shape as readonly number[]
      const local = localElements(shardedArray('A', 'weight', 'I_XY J'), { I, J }, mesh)
      return { bytes_per_device: local, total_bytes: local * meshSize(mesh) }
    },
  )

  hold('sh-q1', 'an array sharded over one axis is held by every chip of the others', (_, inputs) => {
    const mesh = meshOf(inputs.mesh)
    const extents = { I: 64, J: 64, L: 64 }
    const held = localElements(shardedArray('A', 'weight', 'I_X J L'), extents, mesh) * meshSize(mesh)
    return { ratio: held / localElements(shardedArray('A', 'weight', 'I J L'), extents, unitMesh) }
  })
})

function estimate(network: TorusNetwork, op: CollectiveQuery['op'], bytes: number, assumptions = book) {
  const chips = network.topology.reduce((product, size) => product * size, 1)
  const over = { physical: network.topology.map((_, axis) => axis) }
  const answer = collectiveEstimate({ cluster: clusterOf(network, chips), op, bytes, over, assumptions })
  if ('problem' in answer) throw new RangeError(answer.problem.detail)
  return answer
}

/** The letters of the book are the letters of the axes. */
function meshOf(sizes: unknown): Mesh {
  const { X, Y, Z } = sizes as Readonly<Record<'X' | 'Y' | 'Z', number>>
  return { ...unitMesh, fsdp: X, tensor: Y, tensor2: Z }
}

function cube(bothWaysBytesPerSecond: number): Arrangement {
  const ring = { size: 4, rings: 1 }
  return onRings({ fsdp: ring, tensor: ring, tensor2: ring }, bothWaysBytesPerSecond)
}

function localElements(array: ShardedArray, extents: Extents, mesh: Mesh): number {
  const names = array.dimensions.map(({ extent }) => extent)
  return valueOn(mesh, monomial(1, names, axesOfArray(array)), extents)
}

function valueOn(mesh: Mesh, value: Move['elements'], extents: Extents): number {
  const scale = createScale()
  setMesh(scale, mesh, extents, freely)
  return termValue(termOf(value, extents, 1), scale)
}

function bytesMoved(mesh: Mesh, { elements }: Move, extents: Extents): number {
  return valueOn(mesh, elements, extents) * elementBytes.bf16
}

function moveTime({ network, mesh, placement }: Arrangement, move: Move, extents: Extents): number {
  const set = axisSet(move.over)
  const cost = networkPrices(network, [set], book).placed(placement, mesh)[set]
  if (!cost) throw new RangeError('A group of more than one chip has a price')
  const perByte = {
    AllGather: cost.perByte,
    ReduceScatter: cost.perByte,
    AllReduce: cost.allReducePerByte,
    AllToAll: cost.allToAllPerByte,
  }[move.operation]
  return collectiveTime(bytesMoved(mesh, move, extents), perByte, cost.latency, cost.latencyIsFloor)
}
