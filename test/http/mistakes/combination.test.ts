import { describe, expect, it } from 'vitest'
import { question, service } from '../service.ts'

const faulty = (change: object, path = '/optimize') =>
  service()
    .post(path)
    .send({ ...question, ...change })

const architecture = { layers: 2, dModel: 1024, dFf: 4096, heads: 8, vocab: 1000 }

describe('a combination that makes no sense', () => {
  it.each([
    [{ model: 'llama-3-70' }, '/model', 'llama-3-70b', 'unknown-name'],
    [{ hardware: { chip: 'h100sxm', chips: 8 } }, '/hardware/chip', 'h100-sxm', 'unknown-name'],
    [{ hardware: { chip: 'tpu-v5e', chips: 7 } }, '/hardware/chips', '7', 'impossible-combination'],
    [
      { hardware: { chip: 'tpu-v5p', topology: [3, 5, 7] } },
      '/hardware/topology',
      'tpu-v5p',
      'impossible-combination',
    ],
    [
      { hardware: { chip: 'h100-sxm', topology: [8] } },
      '/hardware/topology',
      'switches',
      'impossible-combination',
    ],
    [
      { hardware: { chip: 'h100-sxm', chips: 512, topology: [8, 8] } },
      '/hardware/topology',
      'leave it out for the 512 chips',
      'impossible-combination',
    ],
    [{ constraints: { chips: 128 } }, '/constraints/chips', 'at least 128', 'impossible-combination'],
    [{ constraints: { chips: { min: 65 } } }, '/constraints/chips', 'there are', 'impossible-combination'],
    [{ precision: { compute: 'fp4' } }, '/precision/compute', 'bf16', 'impossible-combination'],
    [
      { memoryBudget: { bytesPerChip: 1e12 } },
      '/memoryBudget/bytesPerChip',
      '85520809984',
      'impossible-combination',
    ],
    [
      { model: { ...architecture, kvHeads: 3 } },
      '/model/kvHeads',
      'does not divide',
      'impossible-combination',
    ],
    [{ model: { ...architecture, heads: 7 } }, '/model/headDim', 'is required', 'impossible-combination'],
    [
      { model: { ...architecture, attention: { kind: 'gqa' } } },
      '/model/kvHeads',
      'gqa',
      'impossible-combination',
    ],
    [
      { model: { ...architecture, kvHeads: 2, attention: { kind: 'mqa' } } },
      '/model/kvHeads',
      'mqa',
      'impossible-combination',
    ],
    [
      { workload: { ...question.workload, rematerialization: ['full', 'selective'] }, assumptions: 'book' },
      '/workload/rematerialization/1',
      'none, minimal, save_mlp_proj, full',
      'impossible-combination',
    ],
    [
      { assumptions: { basis: 'book', policies: ['selective'] } },
      '/assumptions/policies',
      'selective is not counted',
      'impossible-combination',
    ],
    [
      { workload: { ...question.workload, rematerialization: ['ful'] } },
      '/workload/rematerialization/0',
      'full',
      'unknown-name',
    ],
  ])('%j is a 422 that points at %s', async (change, pointer, detail, slug) => {
    const { status, body } = await faulty(change)
    expect(status).toBe(422)
    expect(body.type).toBe(`/problems/${slug}`)
    expect(body.errors[0].pointer).toBe(pointer)
    expect(body.errors[0].detail).toContain(detail)
  })

  it('suggests the nearest names', async () => {
    const { body } = await faulty({ hardware: { chip: 'tpu-v5', chips: 8 } })
    expect(body.errors[0].suggestions).toEqual(expect.arrayContaining(['tpu-v5e', 'tpu-v5p']))
  })

  it('suggests topologies that the chip comes in', async () => {
    const { body } = await faulty({ hardware: { chip: 'tpu-v5e', topology: [3, 3] } })
    expect(body.errors[0].suggestions.length).toBeGreaterThan(0)
  })

  it('is also a layout of components in a plan of training', async () => {
    const { status, body } = await faulty({ plan: { mesh: {}, layout: {} } }, '/evaluate')
    expect(status).toBe(422)
    expect(body.errors[0].pointer).toBe('/plan/layout')
  })

  it('is also an unknown policy in a plan', async () => {
    const rematerialization = [{ policy: 'fulll', layers: 3 }]
    const { status, body } = await faulty({ plan: { mesh: {}, rematerialization } }, '/evaluate')
    expect(status).toBe(422)
    expect(body.errors[0]).toMatchObject({
      pointer: '/plan/rematerialization/0/policy',
      suggestions: ['full'],
    })
  })
})
