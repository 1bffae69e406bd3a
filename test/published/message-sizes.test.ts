/**
 * Collectives inside a node by message size: NCCL 2.29.2 (A100: 2.27.3) measured with nccl-tests, in microseconds, from
 * ai-dynamo/aiconfigurator @095f58a51c4c (Apache-2.0), 16-bit elements. nccl-tests counts the bytes of an AllToAll on
 * one chip.
 */
import { describe, expect, it } from 'vitest'
import { type CollectiveQuery, collectiveEstimate } from '../../src/collectives.ts'
import { problem } from '../problem.ts'

type Row = readonly [
  chip: string,
  op: CollectiveQuery['op'],
  ranks: number,
  mib: number,
  mib16: number,
  mib512: number,
]

const measured: readonly Row[] = [
  ['a100-80g-sxm', 'AllReduce', 2, 40.84, 128.2, 2781],
  ['a100-80g-sxm', 'AllReduce', 8, 38.85, 216.5, 4226],
  ['a100-80g-sxm', 'AllGather', 2, 19.95, 93.44, 1790],
  ['a100-80g-sxm', 'AllGather', 8, 26.79, 135, 2288],
  ['a100-80g-sxm', 'ReduceScatter', 2, 19.4, 82.27, 1612],
  ['a100-80g-sxm', 'ReduceScatter', 8, 23.43, 123.4, 2207],
  ['a100-80g-sxm', 'AllToAll', 2, 22.79, 98.31, 1635],
  ['a100-80g-sxm', 'AllToAll', 8, 25.81, 114.3, 2314],
  ['h100-sxm', 'AllReduce', 2, 14.74, 82.17, 1686],
  ['h100-sxm', 'AllReduce', 8, 25.4, 121.9, 2111],
  ['h100-sxm', 'AllGather', 2, 11.29, 56, 1039],
  ['h100-sxm', 'AllGather', 8, 17.13, 68.86, 1402],
  ['h100-sxm', 'ReduceScatter', 2, 10.67, 53.18, 1078],
  ['h100-sxm', 'ReduceScatter', 8, 14.64, 69.67, 1399],
  ['h100-sxm', 'AllToAll', 2, 14.85, 53.05, 958.9],
  ['h100-sxm', 'AllToAll', 8, 15.61, 75.66, 1490],
  ['b200-sxm', 'AllReduce', 2, 14.22, 53.36, 1005],
  ['b200-sxm', 'AllReduce', 8, 30.14, 99.07, 1335],
  ['b200-sxm', 'AllGather', 2, 12.7, 37.47, 612.3],
  ['b200-sxm', 'AllGather', 8, 18.66, 103.9, 761.4],
  ['b200-sxm', 'ReduceScatter', 2, 11.96, 37.75, 651],
  ['b200-sxm', 'ReduceScatter', 8, 20.37, 96.99, 766.5],
  ['b200-sxm', 'AllToAll', 2, 16.72, 49, 810],
  ['b200-sxm', 'AllToAll', 8, 18.77, 50.09, 834.2],
]

const sizes = [2 ** 20, 2 ** 24, 2 ** 29]

/** Predicted over measured. */
function ratios(share: number): readonly number[] {
  return measured.flatMap(([chip, op, ranks, ...times]) => {
    const asked = { model: 'llama-3-8b', chip, chips: ranks, batchTokens: 8192, sequenceLength: 8192 }
    const { cluster, assumptions } = problem(asked)
    return times.map((microseconds, at) => {
      const answer = collectiveEstimate({
        ...{ cluster, op, over: { groupSize: ranks } },
        bytes: (sizes[at] ?? 0) * (op === 'AllToAll' ? ranks : 1),
        assumptions: { ...assumptions, scaleUpHalfBytes: share * assumptions.scaleUpHalfBytes },
      })
      if ('problem' in answer) throw new RangeError(answer.problem.detail)
      return (answer.seconds * 1e6) / microseconds
    })
  })
}

const off = (all: readonly number[]) => all.map((ratio) => Math.abs(ratio - 1)).sort((a, b) => a - b)

describe('collectives inside a node', () => {
  it('take what NCCL takes for 1 MiB to 512 MiB, half of them within a tenth and all but one in ten within a third', () => {
    const errors = off(ratios(1))
    expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(0.1)
    expect(errors[Math.floor(0.9 * errors.length)]).toBeLessThan(1 / 3)
  })

  it('would be half as long as measured, or less, if small messages went as fast as large ones', () => {
    const all = [...ratios(0)].sort((a, b) => a - b)
    expect(all[Math.floor(all.length / 3)]).toBeLessThan(0.5)
  })
})
