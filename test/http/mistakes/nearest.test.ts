import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../../api/catalogue.ts'
import { editDistance, nearest } from '../../../api/hints/nearest.ts'
import { forAll } from '../../law.ts'

describe('the edit distance', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['tensro', 'tensor', 1],
    ['ca', 'abc', 3],
    ['sequenceLenght', 'sequenceLength', 1],
  ])('from %j to %j is %d', (from, to, edits) => {
    expect(editDistance(from, to)).toBe(edits)
  })

  it('is symmetric, 0 only between equals, and at most the longer length', () => {
    const word = fc.string({ maxLength: 12 })
    forAll(100, [word, word], (a, b) => {
      const edits = editDistance(a, b)
      expect(editDistance(b, a)).toBe(edits)
      expect(edits === 0).toBe(a === b)
      expect(edits).toBeLessThanOrEqual(Math.max(a.length, b.length))
      expect(edits).toBeGreaterThanOrEqual(Math.abs(a.length - b.length))
    })
  })
})

describe('the nearest names', () => {
  it('come nearest first, and among equals those that the name begins', () => {
    expect(nearest('tpu-v5', ['tpu-v4', 'tpu-v5p', 'h100', 'tpu-v5e'])).toEqual([
      'tpu-v5e',
      'tpu-v5p',
      'tpu-v4',
    ])
  })

  it('are found whatever the case', () => {
    expect(nearest('dmodel', ['dModel', 'dFf'])).toEqual(['dModel'])
  })

  it('are also those that it begins, and those that begin it, by letters and digits alone', () => {
    const names = ['llama-3-8b', 'llama-3.1-405b', 'qwen3-8b']
    expect(nearest('llama3', names)).toEqual(['llama-3-8b', 'llama-3.1-405b'])
    expect(nearest('llama-3.1-405b-instruct-hf', names)).toEqual(['llama-3.1-405b'])
    expect(nearest('q', names)).toEqual([])
  })

  it('are first those that have all of its words, where a size or version is one word', () => {
    const names = ['qwen3-32b', 'qwen3-235b-a22b', 'qwen3-235b-a22b-2507', 'llama-1-65b', 'llama-3.1-405b']
    expect(nearest('qwen3-235b', names)).toEqual(['qwen3-235b-a22b', 'qwen3-235b-a22b-2507', 'qwen3-32b'])
    expect(nearest('llama-405b', names)[0]).toBe('llama-3.1-405b')
    expect(nearest('llama-3.3', ['llama-3-8b', 'llama-3.3-70b'])[0]).toBe('llama-3.3-70b')
    expect(nearest('llama-5b', names)[0]).toBe('llama-1-65b')
    expect(nearest('qwen3-7b', ['qwen3-1.7b', 'qwen3-coder-7b'])).toEqual(['qwen3-coder-7b', 'qwen3-1.7b'])
  })

  it('of the family and some other parts of a model of the catalogue begin with one that has them all', () => {
    const names = [...loadCatalogue().models.keys()]
    const some = fc.constantFrom(...names).chain((name) => {
      const [family = '', ...rest] = name.split('-')
      return fc.subarray(rest).map((others) => [family, ...others])
    })
    forAll(100, [some], (parts) => {
      fc.pre(parts.join('-').length >= 4)
      const [first = ''] = nearest(parts.join('-'), names)
      const lacking = parts.filter((part) => !first.split('-').some((own) => own.startsWith(part)))
      expect(lacking).toEqual([])
    })
  })

  it('are none where nothing is near, or the name is absurdly long', () => {
    expect(nearest('banana', ['tensor', 'pipeline'])).toEqual([])
    expect(nearest('x'.repeat(1e6), ['x'])).toEqual([])
  })
})
