import { describe, expect, it } from 'vitest'
import { allocatedMemory, predictedAllocation } from '../accuracy/memory/allocated.ts'
import { predictedMemory, publishedMemory } from '../accuracy/memory/run.ts'
import { memoryRatio } from '../accuracy/memory/table.ts'
import { catalogueChip, median } from '../accuracy/training/run.ts'

const rows = publishedMemory()
const from = (source: string) => rows.filter((row) => row.source.startsWith(source))

/** Prototypes of BLOOM under Megatron-DeepSpeed, and Llama 3.1 8B under DeepSpeed. */
const bloom = from('bigscience-workshop/bigscience')
const llama = from('stas00/ml-engineering')

const error = (ratios: readonly number[]) => median(ratios.map((ratio) => Math.abs(ratio - 1)))

describe('published memory of training runs', () => {
  it('can all be expressed as plans', () => {
    expect(rows.filter((row) => predictedMemory(row) === null)).toEqual([])
    expect(rows.every(({ split }) => split === 'test')).toBe(true)
  })

  it('is met within 5 per cent by half of the prototypes of BLOOM, from below', () => {
    const ratios = bloom.flatMap(memoryRatio)
    expect(ratios.length).toBeGreaterThan(40)
    expect(error(ratios)).toBeLessThan(0.05)
    expect(median(ratios)).toBeLessThan(1)
  })

  it('is within the chip for every run that ran; beyond it for every run that ran out', () => {
    const fitting = (some: typeof rows) => some.filter((row) => predictedMemory(row)?.fits).length
    const failed = rows.filter(({ outOfMemory }) => outOfMemory)
    expect(failed).toHaveLength(3)
    const shares = failed.map((row) => (predictedMemory(row)?.total ?? 0) / catalogueChip(row.chip).hbmBytes)
    expect(Math.min(...shares)).toBeGreaterThan(1)
    expect(fitting(rows.filter(({ outOfMemory }) => !outOfMemory))).toBe(rows.length - failed.length)
  })

  it('is more for more of everything: the order of runs of one model is that of their measurements', () => {
    const measured = bloom.flatMap((row) => {
      const memory = predictedMemory(row)
      return memory && row.memoryBytes !== undefined ? [{ ...row, memory, bytes: row.memoryBytes }] : []
    })
    let alike = 0
    let pairs = 0
    for (const a of measured) {
      for (const b of measured) {
        if (a.bytes <= b.bytes) continue
        pairs++
        if (a.memory.total > b.memory.total) alike++
      }
    }
    expect(alike / pairs).toBeGreaterThan(0.85)
  })

  it('is met within 15 per cent by every run of Llama, whose loss was taken in pieces', () => {
    const ratios = llama.flatMap(memoryRatio)
    expect(ratios).toHaveLength(7)
    for (const ratio of ratios) expect(Math.abs(ratio - 1)).toBeLessThan(0.15)
    expect(llama.every(({ lossChunks = 1 }) => lossChunks > 1)).toBe(true)
  })

  it('is met from below within 5 per cent by what tensors of dense models took under Megatron Core, and within 7 by those of experts', () => {
    const allocated = allocatedMemory()
    expect(allocated).toHaveLength(11)
    for (const row of allocated) {
      const ratio = (predictedAllocation(row) ?? 0) / row.memoryBytes
      expect(ratio).toBeLessThan(1.01)
      expect(ratio).toBeGreaterThan(row.expertRecipe ? 0.93 : 0.95)
    }
  })
})
