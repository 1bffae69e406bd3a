/** What a terminal shows while a search goes on: nothing for a short one, and nothing that remains. */
import { describe, expect, it } from 'vitest'
import { inProcess } from '../../api/cli/in-process.ts'
import { telling } from '../../api/cli/progress.ts'

const request = {
  model: 'llama-3-8b',
  hardware: { chip: 'h100-sxm', chips: 8 },
  workload: { mode: 'train', batchTokens: 131_072, sequenceLength: 4096 },
}

describe('progress', () => {
  it('is told after a second, no oftener than five times a second, and is gone at the end', () => {
    let now = 0
    let line = ''
    const { tick, end } = telling(
      (text) => {
        line += text
      },
      () => now,
    )()
    for (; now < 999; now += 3) tick()
    expect(line).toBe('')
    for (; now < 3000; now += 3) tick()
    expect(line.match(/\rsearching for \d\.\d s/g)?.length).toBeGreaterThan(5)
    expect(line.split('\r').length - 1).toBeLessThanOrEqual(11)
    end()
    expect(line.endsWith('\r\u001b[K')).toBe(true)
  })

  it('is asked for by a search in the same thread, and ends where that is refused too', async () => {
    const told = { ticks: 0, ends: 0 }
    const asker = inProcess(() => ({
      tick: () => {
        told.ticks++
      },
      end: () => {
        told.ends++
      },
    }))
    await asker.optimize(request)
    expect(told.ticks).toBeGreaterThan(10)
    expect(told.ends).toBe(1)
    await expect(asker.optimize({ ...request, model: 'nothing-like-it' })).rejects.toThrow('nothing-like-it')
    expect(told.ends).toBe(2)
  })
})
