/** A plan that is too large by less than the error of predicted memory says so; that error is the recorded one. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { memoryError, nearlyFits } from '../../../src/validation/nearly-fits.ts'

it('the error is that of nine of ten published runs of training', () => {
  const { memory } = JSON.parse(readFileSync('fixtures/accuracy.json', 'utf8')) as {
    readonly memory: { readonly ratios: Readonly<Record<string, { readonly ninetiethError: number }>> }
  }
  const tested = Object.entries(memory.ratios).filter(([name]) => name.startsWith('test training'))
  const worst = Math.max(...tested.map(([, { ninetiethError }]) => ninetiethError))
  expect(memoryError).toBeLessThanOrEqual(worst)
  expect(memoryError).toBeGreaterThan(worst - 0.01)
})

it('is told of what is over by less, and of nothing else', () => {
  expect(nearlyFits(100.4e9, 100e9)).toMatch(/That is 0\.4 % of the budget.*within 9\.0 %/)
  expect([90e9, 100e9, 110e9].map((total) => nearlyFits(total, 100e9))).toEqual(['', '', ''])
})
