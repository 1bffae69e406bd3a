/** The model that a launch file names, with the dimensions that it says beside the name. */
import { type Fields, isFields } from '../../../src/fields.ts'
import type { LaunchReading, SaidDimension } from '../../../src/launch/read/reading.ts'
import { expertLayers } from '../../../src/model/expert-layers.ts'
import type { KnownModel } from '../../catalogue.ts'
import { valueAt } from '../../validation/json-pointer.ts'

/** The reading with the changed model in place of the one that it names, or with what its framework makes of a change. */
export function withChanges(reading: LaunchReading, known: KnownModel | undefined): LaunchReading {
  const { besideName, named, refusals = [] } = reading
  if (!besideName || !known) return reading
  const whole = spelt(known)
  const differing = besideName.dimensions.filter((said) => differs(known, whole, said))
  if (differing.length === 0) return reading
  const { taken, says, refuses } = besideName
  const options = differing.map(({ option, value }) => `${option}=${value}`)
  const note = `${options.join(', ')} beside ${named}: ${says}`
  const noted = {
    ...reading,
    notes: [...reading.notes, note],
    refusals: [...refusals, ...(refuses ? [note] : [])],
  }
  if (!taken) return noted
  const { named: _, ...rest } = noted
  return { ...rest, model: differing.reduce(changed, whole), wholeModel: true }
}

/** As a request spells a model, with what would else follow from other dimensions. */
export function spelt({ record, transformer }: KnownModel): Fields {
  const { heads, kvHeads, headDim, attention, learnedPositions } = transformer
  const shape = attention.latent ? {} : { heads, kvHeads, headDim }
  return { ...usual, ...record.architecture, learnedPositions, ...shape, ...expertsOf(record.architecture) }
}

function expertsOf({ moe }: KnownModel['record']['architecture']): Fields {
  return moe ? { moe: { sharedExperts: 0, denseLayers: 0, every: 1, ...moe } } : {}
}

const usual = { gatedMlp: true, tiedEmbeddings: false }

/** What a model lacks altogether (experts, a window, heads of keys beside latent ones) a single number does not give it. */
function differs({ transformer }: KnownModel, whole: Fields, { at, value }: SaidDimension): boolean {
  const own = valueAt(whole, at)
  const { experts, layers } = transformer
  const [name = ''] = at
  // No layer has the dense MLP, for whose width frameworks write what they like; and they pad vocabularies.
  if (name === 'dFf' && experts && expertLayers(transformer) === layers) return false
  if (name === 'vocab' && Math.abs(Number(own) - Number(value)) < padded) return false
  return own !== undefined && own !== null && own !== value
}

const padded = 1024

function changed(whole: Fields, { at, value }: SaidDimension): Fields {
  const [name = '', ...rest] = at
  const inner = whole[name]
  const own = isFields(inner) ? inner : {}
  return { ...whole, [name]: rest.length === 0 ? value : changed(own, { option: '', at: rest, value }) }
}
