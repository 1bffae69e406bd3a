/** Figures of hardware in gigabytes or teraflops are told from those in bytes and FLOP/s. */
import { describe, expect, it } from 'vitest'
import { outOfScale } from '../../../api/hints/out-of-scale.ts'
import { catalogue } from '../planners.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const chips = [...catalogue.chips.values()]
const told = (hardware: Record<string, unknown>) =>
  outOfScale({ chip: 'h100-sxm', ...hardware }, chips).map(({ pointer, correction }) => [
    pointer.replace('/hardware', ''),
    correction?.[0]?.value,
  ])

describe('a figure of hardware', () => {
  it.each([
    ['gigabytes a second', { hbmBytesPerSecond: 3350 }, '/hbmBytesPerSecond', 3.35e12],
    ['terabytes a second', { hbmBytesPerSecond: 3.35 }, '/hbmBytesPerSecond', 3.35e12],
    ['gigabytes', { hbmBytes: 80 }, '/hbmBytes', 8e10],
    ['teraflops', { peakFlopsPerSecond: { bf16: 989 } }, '/peakFlopsPerSecond/bf16', 9.89e14],
    ['gigabytes of a link', { networkBytesPerSecond: 50 }, '/networkBytesPerSecond', 5e10],
    [
      'a tier in gigabytes',
      { network: { tiers: [{ size: 8, bytesPerSecondPerChip: 450 }] } },
      '/network/tiers/0/bytesPerSecondPerChip',
      4.5e11,
    ],
    ['a chip of its own', { chip: { hbmBytesPerSecond: 3350 } }, '/chip/hbmBytesPerSecond', 3.35e12],
  ] as const)('in %s has the one that is meant', (_, hardware, pointer, meant) => {
    expect(told(hardware)).toEqual([[pointer, meant]])
  })

  it('of every chip of the catalogue is one, and so is a hundredth and a hundred times it', () => {
    for (const chip of chips) expect(told({ chip }), chip.name).toEqual([])
    const { hbmBytes, hbmBytesPerSecond } = chips[0] ?? { hbmBytes: 1e10, hbmBytesPerSecond: 1e12 }
    for (const times of [0.01, 100])
      expect(told({ hbmBytes: hbmBytes * times, hbmBytesPerSecond: hbmBytesPerSecond * times })).toEqual([])
  })
})

it('over HTTP it is a 400 with the correction', async () => {
  const { status, body } = await service({ search: planning })
    .post('/optimize')
    .send({
      model: 'llama-3-8b',
      hardware: { chip: 'h100-sxm', chips: 8, hbmBytesPerSecond: 3350 },
      workload: { mode: 'generate', contextLength: 4096, batchSequences: 8 },
    })
  expect(status).toBe(400)
  expect(body.errors[0]).toMatchObject({
    pointer: '/hardware/hbmBytesPerSecond',
    detail: expect.stringMatching(/did you mean 3350000000000\?/),
    correction: [{ pointer: '/hardware/hbmBytesPerSecond', value: 3.35e12 }],
  })
})
