import { describe, expect, it } from 'vitest'
import { question, service } from '../service.ts'

const faulty = (change: object, path = '/optimize') =>
  service()
    .post(path)
    .send({ ...question, ...change })

describe('a schema violation', () => {
  it.each([
    [{ modell: 'x' }, '/modell', 'is not a known key; did you mean model?'],
    [
      { workload: { ...question.workload, sequenceLenght: 3 } },
      '/workload/sequenceLenght',
      'did you mean sequenceLength?',
    ],
    [{ hardware: { chip: 'h100-sxm', chip_count: 8 } }, '/hardware/chip_count', 'is not a known key'],
    [{ hardware: { chip: 'h100-sxm' } }, '/hardware', 'needs chips or topology'],
    [{ hardware: { chip: 'h100-sxm', chips: 1.5 } }, '/hardware/chips', 'int'],
    [{ hardware: { chip: 'h100-sxm', chips: '64' } }, '/hardware/chips', 'expected number, received string'],
    [{ hardware: { chip: 'tpu-v5p', topology: [1, 1, 1, 1, 1] } }, '/hardware/topology', '4'],
    [{ workload: { mode: 'banana', batchTokens: 1, sequenceLength: 1 } }, '/workload/mode', 'train'],
    [
      { workload: { mode: 'train', sequenceLength: 8 } },
      '/workload',
      'exactly one of batchTokens and batchSequences',
    ],
    [{ workload: { ...question.workload, batchSequences: 3 } }, '/workload', 'exactly one of'],
    [
      { workload: { mode: 'train', batchSequences: 1e6, sequenceLength: 1e9 } },
      '/workload/batchSequences',
      'at most',
    ],
    [{ precision: { compute: 'fp16' } }, '/precision/compute', 'bf16'],
    [{ memoryBudget: {} }, '/memoryBudget', 'exactly one of bytesPerChip and fraction'],
    [{ memoryBudget: { fraction: 1.1 } }, '/memoryBudget/fraction', '1'],
    [{ constraints: { tensr: 1 } }, '/constraints/tensr', 'did you mean tensor?'],
    [{ constraints: { tensor: { min: 4, max: 2 } } }, '/constraints/tensor/max', 'is less than min'],
    [{ constraints: { tensor: {} } }, '/constraints/tensor', 'needs min or max'],
    [{ constraints: { zeroStage: 4 } }, '/constraints/zeroStage', '3'],
    [{ constraints: { tensor: 'two' } }, '/constraints/tensor', 'expected'],
    [{ assumptions: 'bok' }, '/assumptions', 'book'],
    [
      { assumptions: { matmulEficiency: 0.5 } },
      '/assumptions/matmulEficiency',
      'did you mean matmulEfficiency?',
    ],
    [{ assumptions: { matmulEfficiency: 2 } }, '/assumptions/matmulEfficiency', '1'],
    [{ objective: 'speed' }, '/objective', 'stepTime'],
    [{ top: 0 }, '/top', '1'],
    [{ top: 1001 }, '/top', '1000'],
    [{ timeoutMs: 60_001 }, '/timeoutMs', '60000'],
    [{ model: 7 }, '/model', 'expected a text, an object with name, layers'],
    [{ model: { layers: 1 } }, '/model/dModel', 'is required'],
    [{ plan: { mesh: {} } }, '/plan', 'is not a known key'],
  ])('%j is a 400 that points at %s', async (change, pointer, detail) => {
    const { status, body } = await faulty(change)
    expect(status).toBe(400)
    expect(body.type).toBe('/problems/invalid-request')
    const fault = body.errors.find((error: { pointer: string }) => error.pointer === pointer)
    expect(fault?.detail, JSON.stringify(body.errors)).toContain(detail)
  })

  it.each([
    [{ mesh: { tensr: 2 } }, '/plan/mesh/tensr'],
    [{ mesh: {}, microbatchTokens: 0 }, '/plan/microbatchTokens'],
    [{ mesh: {}, pipelineSchedule: 'magic' }, '/plan/pipelineSchedule'],
    [{}, '/plan/mesh'],
  ])('in a plan, %j is a 400 that points at %s', async (plan, pointer) => {
    const { status, body } = await faulty({ plan }, '/evaluate')
    expect(status).toBe(400)
    expect(body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
  })

  it('tells the bound of a number that is beyond all whole ones', async () => {
    const { body } = await faulty({ hardware: { chip: 'h100-sxm', chips: 1e21 } })
    expect(body.errors).toHaveLength(1)
    expect(body.errors[0]).toMatchObject({
      pointer: '/hardware/chips',
      detail: expect.stringContaining('<=1000000'),
    })
  })

  it('tells of a missing part by name', async () => {
    const { body } = await service().post('/optimize').send({})
    expect(body.errors.map((error: { pointer: string }) => error.pointer)).toEqual([
      '/model',
      '/hardware',
      '/workload',
    ])
  })

  it('points into a chip that is spelled out', async () => {
    const tiers = [
      { name: 'x', size: 8, bytesPerSecondPerChip: -1, latencySeconds: 0, inNetworkReduction: false },
    ]
    const { status, body } = await faulty({ hardware: { chip: 'h100-sxm', chips: 8, network: { tiers } } })
    expect(status).toBe(400)
    expect(body.errors[0].pointer).toBe('/hardware/network/tiers/0/bytesPerSecondPerChip')
  })

  it('is also a query that would be ignored', async () => {
    expect((await service().get('/models?limit=3')).status).toBe(400)
    expect((await service().post('/optimize?top=3').send(question)).status).toBe(400)
  })

  it('is also a path that is no UTF-8', async () => {
    const { status, headers } = await service().get('/models/%E0%A4%A')
    expect(status).toBe(400)
    expect(headers['content-type']).toMatch(/problem\+json/)
  })
})
