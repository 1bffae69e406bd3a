import { describe, expect, it } from 'vitest'
import { type Spelling, spelledOut } from '../../../src/model/spelling.ts'
import { spellingFaults } from '../../../src/model/spelling-faults.ts'

const shape: Spelling = {
  layers: 4,
  dModel: 64,
  dFf: 128,
  heads: 4,
  vocab: 16,
  gatedMlp: true,
  tiedEmbeddings: true,
}
const moe = { experts: 8, activeExperts: 2, dFfExpert: 32 }
const mla = { queryRank: null, keyValueRank: 16, nopeHeadDim: 8, ropeHeadDim: 4, valueHeadDim: 8 }

describe('a model that is spelled out', () => {
  it('has no experts, no windows and a cache for each layer unless it says so', () => {
    expect(spelledOut('m', shape)).toMatchObject({
      experts: null,
      attention: { window: null, globalEvery: 1, kvShareGroup: 1, latent: null, index: null },
      multiTokenLayers: 0,
    })
  })

  it('has experts in every layer and none that are shared unless it says so', () => {
    expect(spelledOut('m', { ...shape, moe }).experts).toEqual({
      ...moe,
      sharedExperts: 0,
      denseLayers: 0,
      every: 1,
    })
  })

  it('has windows in every layer unless some are global', () => {
    const patternOf = (attention: Spelling['attention']) =>
      spelledOut('m', attention ? { ...shape, attention } : shape).attention
    expect(patternOf({ window: 9 })).toMatchObject({ window: 9, globalEvery: 0 })
    expect(patternOf({ window: 9, globalEvery: 6 })).toMatchObject({ window: 9, globalEvery: 6 })
    expect(patternOf({ kvShareGroup: 2 })).toMatchObject({ window: null, kvShareGroup: 2 })
  })

  it('has one kv-head in mqa, and in mla heads as wide as both parts of a key', () => {
    expect(spelledOut('m', { ...shape, attention: { kind: 'mqa' } }).kvHeads).toBe(1)
    const latent = spelledOut('m', { ...shape, attention: { kind: 'mla', mla } })
    expect(latent).toMatchObject({ kvHeads: 4, headDim: 12, attention: { latent: mla } })
  })

  it.each<[Partial<Spelling>, string, string]>([
    [{ attention: { kind: 'mla' } }, '/attention/mla', 'required'],
    [{ attention: { kind: 'gqa', mla } }, '/attention/kind', 'gqa'],
    [{ kvHeads: 2, attention: { mla } }, '/kvHeads', '4 heads'],
    [{ headDim: 8, attention: { mla } }, '/headDim', '12'],
    [{ attention: { globalEvery: 2 } }, '/attention/window', 'required'],
    [{ attention: { kvShareGroup: 5 } }, '/attention/kvShareGroup', '4'],
    [{ moe: { ...moe, activeExperts: 9 } }, '/moe/activeExperts', '9 of 8'],
    [{ moe: { ...moe, denseLayers: 4 } }, '/moe/denseLayers', 'no layer'],
    [{ moe: { ...moe, every: 5 } }, '/moe/every', 'no layer'],
    [{ kvHeads: 3 }, '/kvHeads', 'does not divide'],
    [{ heads: 5 }, '/headDim', 'required'],
  ])('is told what cannot be: %j', (change, pointer, detail) => {
    const [fault] = spellingFaults({ ...shape, ...change })
    expect(fault?.pointer).toBe(pointer)
    expect(fault?.detail).toContain(detail)
  })

  it('is in order where nothing is wrong', () => {
    expect(spellingFaults({ ...shape, moe, attention: { kind: 'mla', mla } })).toEqual([])
    expect(spellingFaults({ ...shape, attention: { window: 9, globalEvery: 2, kvShareGroup: 2 } })).toEqual(
      [],
    )
  })
})
