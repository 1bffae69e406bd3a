import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { maxtextName } from '../../../src/launch/maxtext/model-names.ts'
import { catalogueNames } from '../../../src/model/release-name.ts'
import { problem } from '../../problem.ts'

const all = readdirSync('fixtures/models').map((file) => file.replace(/\.json$/, ''))

function architecture(name: string): Record<string, unknown> {
  // Releases of one model may differ in how long a sequence they were trained for.
  const { maxSequenceLength: _, ...own } = JSON.parse(
    readFileSync(`fixtures/models/${name}.json`, 'utf8'),
  ).architecture
  return own
}

const modelOf = (model: string) =>
  problem({ model, chip: 'tpu-v5p', chips: 8, batchTokens: 8192, sequenceLength: 1024 }).model

it('gives a model the name by which MaxText reads it back', () => {
  const named = all.flatMap((name) => {
    const own = maxtextName(modelOf(name))
    return own === null ? [] : [[name, own] as const]
  })
  expect(named.length).toBeGreaterThan(40)
  for (const [name, own] of named) {
    const read = catalogueNames(own).find((one) => all.includes(one)) ?? ''
    expect(architecture(read), own).toEqual(architecture(name))
  }
})

it('gives a model of a well-known name and other dimensions none', () => {
  expect(maxtextName({ ...modelOf('llama-3-8b'), layers: 4 })).toBeNull()
})
