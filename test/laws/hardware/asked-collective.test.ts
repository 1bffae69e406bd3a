/** What POST /collectives answers on slices that a data-centre network joins. */
import { describe, expect, it } from 'vitest'
import { book } from '../../../src/assumptions/book.ts'
import { type CollectiveQuery, collectiveEstimate } from '../../../src/collectives.ts'
import { networkPrices } from '../../../src/cost/communication/network.ts'
import { axisSet, unitMesh } from '../../../src/sharding/axis.ts'
import { problem } from '../../problem.ts'

const joined = (slices: number) =>
  problem({
    ...{ model: 'llama-3-8b', chip: 'tpu-v6e', topology: [16, 16], slices },
    ...{ batchTokens: 1, sequenceLength: 1, assumptions: 'book' },
  }).cluster

const asked = (over: CollectiveQuery['over'], slices = 2, op: CollectiveQuery['op'] = 'AllReduce') =>
  collectiveEstimate({ cluster: joined(slices), op, bytes: 1e9, over, assumptions: book })

describe('a collective of several slices', () => {
  it('goes between slices for what each chip of one holds', () => {
    const { network } = joined(2)
    if (network.kind !== 'torus') throw new RangeError('v6e is a torus')
    const between = (2 * 1e9) / 256 / network.dcnBytesPerSecondPerChip
    const within = (2 * 1e9) / (4 * network.linkBytesPerSecond)
    expect(asked({ groupSize: 512 })).toMatchObject({
      seconds: Math.max(between, within),
      tier: between > within ? 'dcn' : 'ici',
      wraps: false,
    })
  })

  it('takes as long as training waits for gradients of a data axis that crosses slices', () => {
    const { network } = joined(4)
    const mesh = { ...unitMesh, data: 1024 }
    const set = axisSet(['data'])
    const [cost] = networkPrices(network, [set], book).bestCases(mesh)
    expect(asked({ groupSize: 1024 }, 4)).toMatchObject({
      seconds: 1e9 * (cost?.[set]?.allReducePerByte ?? 0),
    })
  })

  it('stays within one slice, or as few as hold it, where it can', () => {
    expect(asked({ groupSize: 256 }, 4)).toEqual(asked({ groupSize: 256 }, 1))
    const two = asked({ groupSize: 512 }, 2)
    expect(asked({ groupSize: 512 }, 4)).toEqual(two)
    expect(asked({ groupSize: 512 }, 3)).toEqual(two)
  })

  it('of one chip in each slice goes over DCN alone', () => {
    const { network } = joined(2)
    if (network.kind !== 'torus') throw new RangeError('v6e is a torus')
    const one = asked({ groupSize: 2, stride: 256 }, 2, 'AllGather')
    expect(one).toMatchObject({ seconds: 1e9 / network.dcnBytesPerSecondPerChip, tier: 'dcn' })
  })

  it.each([
    [{ groupSize: 1024 }, '1024 chips are more than the 512 there are'],
    [{ groupSize: 3 }, 'no parts of the axes of 16x16, in any of its 2 slices, multiply to 3'],
    [
      { groupSize: 4, stride: 100 },
      'no physical axis of 16x16 has 4 chips 100 apart; 256 apart is one chip in each of the 2 slices',
    ],
  ])('is refused with what there is: %j', (over, detail) => {
    expect(asked(over)).toMatchObject({ problem: { detail } })
  })
})
