import { describe, expect, it } from 'vitest'
import { book } from '../../../src/assumptions/book.ts'
import { calibrated } from '../../../src/assumptions/calibrated.ts'
import { answering, catalogue, type Heard } from '../planners.ts'
import { question, service } from '../service.ts'

/** What these chips are costed as where a request names none. */
const hopper = { ...catalogue.stacks.get('megatron-core-hopper') }

async function taken(change: object) {
  const heard: Heard = {}
  const { status, text, body } = await service({ search: answering(heard) })
    .post('/optimize')
    .send({ ...question, ...change })
  expect(status, text).toBe(200)
  if (!heard.problem) throw new Error('nothing was searched')
  return { problem: heard.problem, warnings: body.warnings as readonly string[] }
}

const problemOf = async (change: object) => (await taken(change)).problem

describe('a request becomes a problem', () => {
  it('with every default filled in', async () => {
    const problem = await problemOf({})
    expect(problem.model).toMatchObject({ name: 'llama-3-8b', layers: 32, parallelBlocks: false })
    expect(problem.cluster.chips).toBe(64)
    expect(problem.workload).toEqual({
      mode: 'train',
      batchTokens: 4_194_304,
      sequenceLength: 8192,
      optimizer: 'adamw',
    })
    expect(problem.memoryBudget).toBe(problem.cluster.chip.hbmBytes)
    expect(problem.precision).toEqual({
      weights: 'bf16',
      compute: 'bf16',
      kvCache: 'bf16',
      gradients: 'fp32',
      optimizer: 'fp32',
    })
    expect(problem.constraints).toEqual({})
    expect(problem.objective).toBe('stepTime')
    expect(problem.top).toBe(10)
    const { assumptions, cluster } = problem
    expect(assumptions).toEqual({
      ...calibrated('gpu', cluster.chip.efficiency),
      ...hopper.constants,
      stack: 'megatron-core-hopper',
    })
  })

  it('with a chip that carries nothing of the catalogue but the chip', async () => {
    const { cluster } = await problemOf({})
    expect(cluster.chip).not.toHaveProperty('sources')
    expect(cluster.chip).not.toHaveProperty('aliases')
    expect(cluster.chip).not.toHaveProperty('book')
  })

  it("with the book's figures of a chip under the book's assumptions", async () => {
    const problem = await problemOf({ assumptions: 'book' })
    expect(problem.assumptions).toEqual(book)
    expect(problem.cluster.chip.peakFlopsPerSecond.bf16).toBe(9.9e14)
    expect((await problemOf({})).cluster.chip.peakFlopsPerSecond.bf16).toBe(9.89e14)
  })

  it('with named assumptions overridden, of either basis', async () => {
    const own = await problemOf({ assumptions: { overlapCriticalPath: 0.5 } })
    expect(own.assumptions).toEqual({
      ...calibrated('gpu', own.cluster.chip.efficiency),
      ...hopper.constants,
      stack: 'megatron-core-hopper',
      overlapCriticalPath: 0.5,
    })
    const bookish = await problemOf({ assumptions: { basis: 'book', finiteRings: true } })
    expect(bookish.assumptions).toEqual({ ...book, finiteRings: true })
    expect(bookish.cluster.chip.peakFlopsPerSecond.bf16).toBe(9.9e14)
  })

  it('with sequences counted in tokens', async () => {
    const workload = { mode: 'train', batchSequences: 100, sequenceLength: 2048, schedule: ['1f1b'] }
    expect((await problemOf({ workload })).workload).toMatchObject({
      batchTokens: 204_800,
      schedules: ['1f1b'],
    })
  })

  it('with a memory budget in bytes or as a share of HBM', async () => {
    expect((await problemOf({ memoryBudget: { bytesPerChip: 5e10 } })).memoryBudget).toBe(5e10)
    const hbmBytes = 81_559 * 2 ** 20
    expect((await problemOf({ memoryBudget: { fraction: 0.5 } })).memoryBudget).toBe(hbmBytes / 2)
    expect((await problemOf({ memoryBudget: { fraction: 1 } })).memoryBudget).toBe(hbmBytes)
  })

  it.each([
    [80, 80e9],
    [40_000, 40e9],
    [64e6, 64e9],
  ])('with a budget of %d bytes taken as it stands, and a question whether %d are meant', async (bytesPerChip, meant) => {
    const { problem, warnings } = await taken({ memoryBudget: { bytesPerChip } })
    expect(problem.memoryBudget).toBe(bytesPerChip)
    expect(warnings).toContainEqual(expect.stringContaining(`Did you mean ${meant}?`))
  })

  it.each([1e9, 86e6])('with %d bytes there is no such question', async (bytesPerChip) => {
    const { warnings } = await taken({ memoryBudget: { bytesPerChip } })
    expect(warnings.join()).not.toContain('Did you mean')
  })

  it('with constraints in all three forms', async () => {
    const constraints = { tensor: { max: 8 }, pipeline: 1, context: [1, 2], zeroStage: { min: 1, max: 2 } }
    expect((await problemOf({ constraints })).constraints).toEqual(constraints)
  })

  it('with one number of the network overridden', async () => {
    const network = { scaleOutBytesPerSecondPerChip: 2.5e10 }
    const { cluster } = await problemOf({ hardware: { chip: 'h100-sxm', chips: 64, network } })
    if (cluster.network.kind !== 'switched') throw new Error('an H100 is switched')
    const bandwidths = cluster.network.tiers.map(({ bytesPerSecondPerChip }) => bytesPerSecondPerChip)
    expect(bandwidths).toEqual([4.5e11, 2.5e10, 2.5e10])
  })

  it('with a model and a chip spelled out, the network in tiers', async () => {
    const tiers = [
      { name: 'a', size: 4, bytesPerSecondPerChip: 1e11, latencySeconds: 1e-6, inNetworkReduction: false },
      { name: 'b', size: null, bytesPerSecondPerChip: 1e10, latencySeconds: 1e-5, inNetworkReduction: true },
    ]
    const chip = {
      name: 'mine',
      kind: 'gpu',
      peakFlopsPerSecond: { bf16: 1e14 },
      hbmBytes: 4e10,
      hbmBytesPerSecond: 1e12,
      hostBytesPerSecond: 1e10,
      efficiency: { matmul: 0.5, matmulHalfFlops: 0, attention: 0.5, hbm: 0.5, scaleUp: 0.5, scaleOut: 0.5 },
    }
    const model = { layers: 2, dModel: 512, dFf: 2048, heads: 8, vocab: 1000, attention: { kind: 'mqa' } }
    const problem = await problemOf({ model, hardware: { chip, chips: 16, network: { tiers } } })
    expect(problem.cluster.network).toEqual({ kind: 'switched', tiers, chips: problem.cluster.chips })
    expect(problem.assumptions.matmulEfficiency).toBeCloseTo(0.85 * 0.5, 12)
    expect(problem.model).toEqual({
      name: 'custom',
      layers: 2,
      dModel: 512,
      dFf: 2048,
      heads: 8,
      kvHeads: 1,
      headDim: 64,
      vocab: 1000,
      gatedMlp: true,
      tiedEmbeddings: false,
      learnedPositions: 0,
      parallelBlocks: false,
      attention: { window: null, globalEvery: 1, kvShareGroup: 1, latent: null, index: null },
      experts: null,
      multiTokenLayers: 0,
    })
  })

  it('asks for the system of a chip without tiers', async () => {
    const { status, body } = await service()
      .post('/optimize')
      .send({
        ...question,
        hardware: {
          chips: 8,
          chip: {
            name: 'mine',
            kind: 'gpu',
            peakFlopsPerSecond: { bf16: 1e14 },
            hbmBytes: 4e10,
            hbmBytesPerSecond: 1e12,
            hostBytesPerSecond: 1e10,
            efficiency: { matmul: 1, matmulHalfFlops: 0, attention: 1, hbm: 1, scaleUp: 1, scaleOut: 1 },
          },
        },
      })
    expect(status).toBe(400)
    expect(body.errors).toEqual([
      { pointer: '/hardware/chip/system', detail: 'is required unless network gives the tiers' },
    ])
  })

  it('with a plan whose mesh names all seven axes', async () => {
    const heard: Heard = {}
    const plan = { mesh: { tensor: 2, fsdp: 32 }, zeroStage: 3, rematerialization: 'full' }
    await service({ search: answering(heard) })
      .post('/evaluate')
      .send({ ...question, plan })
    expect(heard.sketch).toEqual({
      ...plan,
      mesh: { data: 1, fsdp: 32, tensor: 2, tensor2: 1, context: 1, expert: 1, pipeline: 1 },
    })
  })
})
