/** A catalogue chip with some numbers of one's own, and the resulting cost of tokens. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cluster } from '../../../src/hardware/cluster/cluster.ts'
import { runs } from '../../runs.ts'
import { answering, type Heard } from '../planners.ts'
import { planning } from '../planning.ts'
import { question, service } from '../service.ts'

const generate = { mode: 'generate', batchSequences: 8, contextLength: 2048 }

async function clusterOf(hardware: object, more: object = {}): Promise<Cluster> {
  const heard: Heard = {}
  const { status, text } = await service({ search: answering(heard) })
    .post('/optimize')
    .send({ ...question, hardware: { chip: 'h100-sxm', chips: 64, ...hardware }, ...more })
  expect(status, text).toBe(200)
  if (!heard.problem) throw new Error('nothing was searched')
  return heard.problem.cluster
}

const scaleOut = ({ network }: Cluster) =>
  network.kind === 'switched' ? network.tiers.map((tier) => tier.bytesPerSecondPerChip) : []

describe('numbers of a catalogue chip that a request has of its own', () => {
  it('stand in for those of the catalogue, and the rest stays', async () => {
    const own = { usdPerHour: 2.1, hbmBytes: 9.4e10, hbmBytesPerSecond: 3.9e12, hostBytesPerSecond: 5e10 }
    const { chip: as } = await clusterOf({})
    const { chip } = await clusterOf({ ...own, peakFlopsPerSecond: { fp8: 1.5e15 } })
    const peakFlopsPerSecond = { ...as.peakFlopsPerSecond, fp8: 1.5e15 }
    expect(chip).toEqual({ ...as, ...own, peakFlopsPerSecond })
  })

  it('name the network in bytes, in gigabits or tier by tier, with the same answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6400 }), async (nicGbps) => {
        const networkBytesPerSecond = (nicGbps * 1e9) / 8
        const network = { scaleOutBytesPerSecondPerChip: networkBytesPerSecond }
        const [gigabits, bytes, tiers] = [
          await clusterOf({ nicGbps }),
          await clusterOf({ networkBytesPerSecond }),
          await clusterOf({ network }),
        ]
        expect(scaleOut(gigabits)).toEqual([4.5e11, networkBytesPerSecond, networkBytesPerSecond])
        expect(bytes).toEqual(gigabits)
        expect(tiers).toEqual(gigabits)
      }),
      { numRuns: runs(5) },
    )
  })

  it.each([
    [{ nicGbps: 400, networkBytesPerSecond: 5e10 }, '/hardware/nicGbps'],
    [
      { nicGbps: 400, network: { scaleOutBytesPerSecondPerChip: 5e10 } },
      '/hardware/network/scaleOutBytesPerSecondPerChip',
    ],
    [{ nicGbs: 400 }, '/hardware/nicGbs'],
  ])('are refused where %j says a thing twice, or nothing', async (own, pointer) => {
    const { status, body } = await service()
      .post('/optimize')
      .send({ ...question, hardware: { ...question.hardware, ...own } })
    expect(status).toBe(400)
    expect(body.errors[0].pointer).toBe(pointer)
  })
})

describe('a chip as /hardware/{name} answers it', () => {
  const h100 = async () => (await service().get('/hardware/h100-sxm')).body

  it.each(['book', 'calibrated'])('is that chip under %s assumptions', async (assumptions) => {
    const pasted = await clusterOf({ chip: await h100() }, { assumptions })
    expect(pasted).toEqual(await clusterOf({}, { assumptions }))
  })

  it('is one of your own with a name and numbers of its own', async () => {
    const own = { name: 'h100-of-ours', hbmBytes: 1.2e11 }
    const { chip } = await clusterOf({ chip: { ...(await h100()), ...own } })
    expect(chip).toEqual({ ...(await clusterOf({})).chip, ...own, kin: 'h100-sxm' })
  })
})

describe('cost per token', () => {
  const asked = { ...question, hardware: { chip: 'h800-sxm', chips: 8 }, objective: 'costPerToken' }

  it('asks for a price where the chip has none', async () => {
    const { status, body } = await service().post('/optimize').send(asked)
    expect(status).toBe(422)
    expect(body.errors).toEqual([
      {
        pointer: '/hardware/usdPerHour',
        detail: expect.stringContaining('h800-sxm has none'),
      },
    ])
    const priced = { ...asked, hardware: { ...asked.hardware, usdPerHour: 2 } }
    expect((await service({ search: answering() }).post('/optimize').send(priced)).status).toBe(200)
  })

  const workloads = {
    train: { mode: 'train', batchTokens: 65_536, sequenceLength: 2048 },
    prefill: { mode: 'prefill', batchSequences: 8, promptLength: 2048, cachedPrefixLength: 512 },
    generate,
    serve: { mode: 'serve', promptLength: 512, outputLength: 64, requestsPerSecond: 4 },
  } as const

  it.each([
    ['train', 'trained', 65_536],
    ['prefill', 'prompt', 8 * (2048 - 512)],
    ['generate', 'generated', 8],
  ] as const)('of %s is of the tokens that it says: %s', async (mode, costedTokens, tokens) => {
    const hardware = { chip: 'h800-sxm', chips: 8, usdPerHour: 3 }
    const { body } = await service({ search: planning })
      .post('/optimize')
      .send({ model: 'llama-3-8b', hardware, workload: workloads[mode], objective: 'costPerToken', top: 1 })
    const [plan] = body.plans
    const step = (3 / 3600) * 8 * plan.stepTimeSeconds
    expect(plan.costedTokens).toBe(costedTokens)
    expect(plan.costPerMillionTokensUsd).toBeCloseTo((step / tokens) * 1e6, 9)
  })

  it('of a deployment is of the tokens that it answers with', async () => {
    const hardware = { chip: 'h800-sxm', chips: 4, usdPerHour: 3 }
    const { body } = await service({ search: planning })
      .post('/optimize')
      .send({ model: 'llama-3-8b', hardware, workload: workloads.serve, top: 1 })
    const [plan] = body.plans
    expect(plan.costedTokens).toBe('output')
    expect([plan.prefill.costedTokens, plan.generate.costedTokens]).toEqual(['prompt', 'generated'])
    expect(plan.costPerMillionTokensUsd).toBeCloseTo((((3 / 3600) * plan.chips) / (4 * 64)) * 1e6, 9)
  })
})
