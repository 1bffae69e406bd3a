/** README.md tells how far off predictions are as `npm run accuracy` recorded it. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { withFigures } from '../accuracy/readme.ts'

it('README.md has the figures of fixtures/accuracy.json', () => {
  const text = readFileSync('README.md', 'utf8')
  expect(withFigures(text, JSON.parse(readFileSync('fixtures/accuracy.json', 'utf8')))).toBe(text)
})
