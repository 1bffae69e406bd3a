import { describe, expect, it } from 'vitest'
import { knownChip, knownModel, loadCatalogue } from '../../../api/catalogue.ts'
import { valueAt } from '../../../api/validation/json-pointer.ts'

const catalogue = loadCatalogue()
const chips = [...catalogue.chips.values()]

describe('the catalogues', () => {
  it.each([
    'llama-3-70b',
    'llama-3.1-405b',
    'gpt-3-175b',
    'megatron-1t',
    'palm-540b',
    'llama-2-13b',
  ])('know the model %s of the contract', (name) => {
    expect(knownModel(catalogue, name)?.record.name).toBe(name)
  })

  it.each([
    ...['tpu-v5p', 'tpu-v5e', 'tpu-v6e', 'tpu-7x', 'tpu-v4', 'a100-80g-sxm', 'h100-sxm', 'h200-sxm'],
    ...['h800-sxm', 'b200-sxm', 'gb200-nvl72', 'mi300x'],
  ])('know the chip %s of the contract', (name) => {
    expect(knownChip(catalogue, name)?.name).toBe(name)
  })

  it('give no two chips the same name or alias', () => {
    const names = chips.flatMap(({ name, aliases }) => [name, ...aliases])
    expect(names).toHaveLength(new Set(names).size)
  })

  it('cite a source for numbers that exist', () => {
    for (const record of [...chips, ...[...catalogue.models.values()].map(({ record }) => record)]) {
      for (const pointer of Object.keys(record.sources)) {
        expect(valueAt(record, pointer.split('/').slice(1)), `${record.name} ${pointer}`).toBeDefined()
      }
    }
  })
})
