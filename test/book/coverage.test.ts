/** Every case of the book is tested, or is listed as pending with a reason. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bookCase, cases, flattened, pending, uncoveredFields } from './case.ts'
import { sections } from './coverage.ts'

const tested: readonly string[] = Object.values(sections).flat()
const reasons = /^outside what the service computes: .+$/

describe('the book', () => {
  it('has each of its cases tested or pending, and none both or twice', () => {
    expect([...tested, ...Object.keys(pending)].sort()).toEqual(cases.map(({ id }) => id).sort())
  })

  it('has a test file for each section', () => {
    const folder = new URL('./', import.meta.url)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.test.ts'),
    )
    const texts = files.map((file) => readFileSync(new URL(file, folder), 'utf8'))
    for (const name of Object.keys(sections)) {
      expect(texts.filter((text) => text.includes(`section('${name}', `))).toHaveLength(1)
    }
  })

  it('gives a reason for each case that is pending', () => {
    for (const reason of Object.values(pending)) expect(reason).toMatch(reasons)
  })

  it('leaves no tested case without a field that is held', () => {
    for (const [id, fields] of Object.entries(uncoveredFields)) {
      const expected = Object.keys(flattened(bookCase(id).expected))
      expect(tested).toContain(id)
      expect(expected).toEqual(expect.arrayContaining(Object.keys(fields)))
      expect(expected.length).toBeGreaterThan(Object.keys(fields).length)
    }
  })
})
