/** A model's name and the dimensions in a launch file have to agree. */
import type { Fields } from '../../../src/fields.ts'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { type Fault, faulty } from '../../problems.ts'
import { valueAt } from '../../validation/json-pointer.ts'

export function refuseAnotherModel(reading: LaunchReading | null, model: Transformer): void {
  if (!reading?.model) return
  const said = reading.model
  const known: Fields = { ...model }
  const faults = compared
    .filter((name) => said[name] !== undefined && said[name] !== known[name])
    .filter((name) => model.attention.latent === null || !ofPlainHeads.includes(name))
    .map((name) => difference(model.name, name, known[name], said[name]))
  const others = reading.wholeModel ? parts.flatMap((part) => apart(model, said, part)) : []
  if (faults.length + others.length > 0) {
    throw faulty('impossible-combination', [...faults, ...others])
  }
}

const compared = [
  'layers',
  'dModel',
  'dFf',
  'heads',
  'kvHeads',
  'headDim',
  'gatedMlp',
  'tiedEmbeddings',
] as const

const ofPlainHeads: readonly string[] = ['kvHeads', 'headDim']

/** A part that models may lack: a file that says the whole model and leaves it out has none. */
interface Part {
  /** Where it is in the words of a request. */
  readonly said: readonly string[]
  /** Where it is in a model. */
  readonly known: readonly string[]
  /** What is compared; only the first where one side lacks the part. */
  readonly names: readonly [string, ...string[]]
}

const parts: readonly Part[] = [
  { said: [], known: [], names: ['layerPattern'] },
  { said: ['attention'], known: ['attention'], names: ['outputGate'] },
  {
    said: ['attention', 'mla'],
    known: ['attention', 'latent'],
    names: ['keyValueRank', 'queryRank', 'nopeHeadDim', 'ropeHeadDim', 'valueHeadDim'],
  },
  {
    said: ['recurrence'],
    known: ['recurrence'],
    names: [
      'mixer',
      'attentionEvery',
      'lastAttends',
      'keyHeads',
      'keyDim',
      'heads',
      'valueDim',
      'convolution',
    ],
  },
  {
    said: ['moe'],
    known: ['experts'],
    names: ['experts', 'activeExperts', 'dFfExpert', 'sharedExperts', 'latentWidth', 'denseLayers', 'every'],
  },
]

/** Experts are in all layers behind the dense ones, or where the pattern of layers has them. */
const usual: Readonly<Record<string, unknown>> = { every: 1 }

function apart(model: Transformer, whole: Fields, { said, known, names }: Part): readonly Fault[] {
  const [own, written] = [valueAt(model, known), valueAt(whole, said)]
  const both = Boolean(own) && Boolean(written)
  return (both ? names : names.slice(0, 1)).flatMap((name) => {
    // What is off, or none of it, need not be written, nor what is so without a word.
    const [has, says] = [own, written].map((side) => valueAt(side, [name]) || (usual[name] ?? 'none'))
    return has === says ? [] : [difference(model.name, [...said, name].join('.'), has, says)]
  })
}

function difference(model: string, name: string, known: unknown, said: unknown): Fault {
  const detail = `${model} has ${name} ${String(known)}; the launch file has ${String(said)}`
  return { pointer: '/model', detail }
}
