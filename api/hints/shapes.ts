/** Objects that people write in a simpler form, by their key: possible readings, the likeliest first. */
import { elementType } from '../schemas/names.ts'
import { plainName } from './name.ts'
import { wordMeant } from './word-meant.ts'

type Reading = (value: unknown) => readonly unknown[]

const gigabyte = 1e9

/** 0.9 is a fraction, 60 are gigabytes, 6e10 bytes, and 0, which leaves room for nothing, is no limit; also "80GB", "80 GiB", "90%". */
const budget: Reading = (value) => {
  if (typeof value === 'string') {
    const [, digits, unit = ''] = /^\s*([\d.]+)\s*(%|gb|gib|g|gi)\s*$/i.exec(value) ?? []
    if (digits === undefined) return /^[\d.e]+$/i.test(value) ? budget(Number(value)) : []
    if (unit === '%') return [{ fraction: Number(digits) / 100 }]
    return [
      {
        bytesPerChip:
          Number(digits) * (unit.toLowerCase().endsWith('i') || /gib/i.test(unit) ? 2 ** 30 : gigabyte),
      },
    ]
  }
  if (value === 0) return [{ fraction: 1 }]
  if (typeof value !== 'number' || !(value > 0)) return []
  if (value <= 1) return [{ fraction: value }]
  return [{ bytesPerChip: value < 1e4 ? value * gigabyte : value }]
}

const bytes: Reading = (value) =>
  budget(value).map((read) => (read as { bytesPerChip?: number }).bytesPerChip)

/** For example "8xh100-sxm", "h100-sxm x 8" or "h100-sxm:8". */
const hardware: Reading = (value) => {
  if (typeof value !== 'string') return []
  const [, before, after] = /^(\d+)\s*[x*]\s*(.+)$/i.exec(value) ?? []
  const [, name, count] = /^(.+?)\s*[:x*]\s*(\d+)$/i.exec(value) ?? []
  if (before !== undefined) return [{ chip: after, chips: Number(before) }]
  return name === undefined ? [] : [{ chip: name, chips: Number(count) }]
}

/** Keys of a Hugging Face config.json that a model of ours does not have. */
const hubKeys = ['modeltype', 'hiddensize', 'numhiddenlayers', 'numattentionheads', 'architectures']

const model: Reading = (value) => {
  if (typeof value !== 'object' || value === null) return []
  const record = value as Readonly<Record<string, unknown>>
  const keys = Object.keys(record)
  if (keys.filter((key) => hubKeys.includes(plainName(key))).length > 1) return [{ huggingFace: value }]
  const [only] = keys
  const name = keys.length === 1 && only !== undefined ? record[only] : undefined
  return [
    ...(typeof name === 'string' ? [name] : []),
    ...(typeof record.huggingFace === 'string' ? [record.huggingFace] : []),
  ]
}

export const shapes: Readonly<Record<string, Reading>> = {
  memoryBudget: budget,
  hardware,
  model,
  draftModel: model,
  precision: (value) => {
    const type = typeof value === 'string' ? wordMeant(elementType.options, value) : undefined
    return type === undefined ? [] : [{ weights: type, compute: type }]
  },
  bytesPerChip: bytes,
  hbmBytes: bytes,
  fraction: (value) => budget(value).map((read) => (read as { fraction?: number }).fraction),
  plan: (value) => (typeof value === 'object' ? [{ mesh: value }] : []),
}

/** Possible values for required keys that are missing. */
export const absent: Readonly<Record<string, unknown>> = { batchSequences: 'max' }

/** Examples of objects, for texts that say too little to be converted into one. */
export const examples: Readonly<Record<string, (text: string) => string>> = {
  hardware: (text) => `{"chip": ${JSON.stringify(text)}, "chips": 8}`,
  workload: () => '{"mode": "train", "batchTokens": 4194304, "sequenceLength": 8192}',
}
