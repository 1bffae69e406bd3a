import { describe, expect, it } from 'vitest'
import { predictedMemory, publishedMemory } from '../accuracy/memory-run.ts'
import { memoryRatio } from '../accuracy/memory-table.ts'
import { median } from '../accuracy/run.ts'

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

  it('is met within 20 per cent by half of the prototypes of BLOOM, from below', () => {
    const ratios = bloom.flatMap(memoryRatio)
    expect(ratios.length).toBeGreaterThan(40)
    expect(error(ratios)).toBeLessThan(0.2)
    expect(median(ratios)).toBeLessThan(1)
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

  it('is that of the plain runs of Llama within 15 per cent, and above those whose loss is taken in pieces', () => {
    const plain = llama.filter(({ optimizerOnHost }) => !optimizerOnHost).flatMap(memoryRatio)
    expect(plain.length).toBe(2)
    for (const ratio of plain) expect(Math.abs(ratio - 1)).toBeLessThan(0.15)
    const pieces = llama.filter(({ optimizerOnHost }) => optimizerOnHost).flatMap(memoryRatio)
    expect(Math.min(...pieces)).toBeGreaterThan(1)
  })
})
