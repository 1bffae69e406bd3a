/** Models and chips of the catalogue by their names, read from their fixtures. */
import { readFileSync } from 'node:fs'
import type { Basis } from '../src/assumptions/assumptions.ts'
import type { Chip } from '../src/hardware/chip.ts'
import { type ChipRecord, chipOf } from '../src/hardware/record.ts'
import { type RecordedModel, recordedModel } from '../src/model/recorded.ts'
import type { Transformer } from '../src/model/transformer.ts'

export function catalogueModel(name: string): Transformer {
  return recordedModel(fixture<RecordedModel>('models', name))
}

export function catalogueChip(name: string, basis: Basis): Chip {
  return chipOf(fixture<ChipRecord>('hardware', name), basis)
}

function fixture<Content>(kind: 'models' | 'hardware', name: string): Content {
  return JSON.parse(readFileSync(new URL(`../fixtures/${kind}/${name}.json`, import.meta.url), 'utf8'))
}
