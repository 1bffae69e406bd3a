/** Tables of settings: each row names an option that its framework has, and no two rows read the same option. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { megatronSettings } from '../../src/launch/megatron/settings.ts'
import { optionsOf } from '../../src/launch/read/options.ts'
import {
  part,
  rowsOf,
  type Settings,
  said,
  setting,
  spellings,
  word,
  written,
} from '../../src/launch/settings/settings.ts'
import { sglangSettings } from '../../src/launch/sglang/settings.ts'
import { vllmSettings } from '../../src/launch/vllm/settings.ts'

const tables: readonly (readonly [name: string, table: Settings<never>])[] = [
  ['megatron', megatronSettings],
  ['vllm', vllmSettings],
  ['sglang', sglangSettings],
]

/** All values that are said, those of lists and parts too. */
function valuesOf(said: object): readonly unknown[] {
  return Object.values(said).flatMap((value) =>
    typeof value === 'object' && value !== null ? valuesOf(value) : [value],
  )
}

describe.each(tables)('the settings of %s', (name, table) => {
  const rows = rowsOf(table)
  const { names, later = [] } = JSON.parse(readFileSync(`fixtures/options/${name}.json`, 'utf8'))

  it('are options of its version, each read by one row', () => {
    for (const { option, of } of rows) if (of) expect([...names, ...later]).toContain(option)
    const read = rows.filter((row) => row.read).map(({ option }) => option)
    expect(new Set(read).size).toBe(read.length)
    const options = new Set(rows.map(({ option }) => option))
    for (const [other, option] of Object.entries(spellings(table))) {
      expect(options.has(other)).toBe(false)
      expect(options.has(option)).toBe(true)
    }
  })

  it('say nothing where nothing stands, and leave nothing that they read', () => {
    const silent = said(table, optionsOf([]))
    // Defaults are numbers.
    for (const value of valuesOf(silent)) expect([Number(value), null, false, undefined]).toContain(value)
    const words = rows.flatMap(({ option, read }) => (read ? [option, '8'] : []))
    const options = optionsOf(words)
    for (const value of valuesOf(said(table, options))) expect([8, '8', true, undefined]).toContain(value)
    expect([options.left(), options.faults]).toEqual([[], []])
  })
})

it('a table is written in its order, switches without a value, and nothing where there is none', () => {
  const row = (option: string, value: string | number | boolean | null) => ({
    ...{ option, of: () => value, read: null, also: [] },
  })
  const table = {
    a: row('--a', 2),
    b: row('--b', true),
    c: row('--c', false),
    d: row('--d', null),
    e: row('--e', 0),
  }
  expect(written(table, undefined)).toEqual(['--a', '2', '--b', '--e', '0'])
})

it('a part of a table is written where a plan has it, and read into an object of its own', () => {
  const table = {
    own: part(({ own }: { readonly own: readonly string[] | null }) => own, {
      list: setting('--list', (own) => own, word),
      heard: setting('--heard', null, word),
    }),
  }
  expect(written(table, { own: ['a', 'b'] })).toEqual(['--list', 'a', 'b'])
  expect(written(table, { own: null })).toEqual([])
  expect(said(table, optionsOf(['--heard', 'c']))).toEqual({ own: { list: null, heard: 'c' } })
})
