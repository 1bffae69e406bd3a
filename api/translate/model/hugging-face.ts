/** Turns a Hugging Face config.json into a model, or into a problem that says what would help. */
import { isFields } from '../../../src/fields.ts'
import type { ConfigFault } from '../../../src/model/hugging-face/fields.ts'
import { families, importHuggingFace } from '../../../src/model/hugging-face/import.ts'
import { notModelled } from '../../../src/model/hugging-face/not-modelled.ts'
import { nearest, slipOf } from '../../hints/nearest.ts'
import { type Fault, faulty, faultyValue, type ProblemError } from '../../problems.ts'
import type { HuggingFaceConfig } from '../../schemas/given/model.ts'
import { jsonPointer, valueAt } from '../../validation/json-pointer.ts'
import type { ResolvedModel } from './resolved-model.ts'

const above = ['model', 'huggingFace']
const mostFaults = 32

export function importedModel(config: HuggingFaceConfig): ResolvedModel {
  const result = importHuggingFace(config)
  if (result.status === 'unknown-type') throw unknownType(result.modelType)
  if (result.status === 'faulty') {
    const faults = result.faults.slice(0, mostFaults).map(
      (fault): Fault => ({
        pointer: `${jsonPointer(above)}${fault.pointer}`,
        detail: misspelt(fault, config),
      }),
    )
    throw faulty('impossible-combination', faults)
  }
  const { transformer, checkpoint, ignored } = result
  return {
    transformer,
    checkpoints: checkpoint ? [checkpoint] : [],
    warnings: ignored.length
      ? [`These parts of the Hugging Face config are left out or approximated: ${ignored.join('; ')}`]
      : [],
  }
}

/** A field that is not there may be one with up to two letters wrong. */
function misspelt({ pointer, detail }: ConfigFault, config: HuggingFaceConfig): string {
  const path = pointer.split('/').slice(1)
  const name = path.at(-1) ?? ''
  const beside = valueAt(config, path.slice(0, -1))
  if (valueAt(config, path) !== undefined || !isFields(beside)) return detail
  const meant = slipOf(
    name,
    Object.keys(beside).filter((key) => key.length <= longest),
  )
  return meant === null ? detail : `${detail}: ${meant} may be meant for it`
}

const longest = 64

function unknownType(modelType: string | null): ProblemError {
  const pointer = jsonPointer([...above, 'model_type'])
  if (modelType === null) return faultyValue('unknown-name', { pointer, detail: `is required; ${byHand}` })
  const shown = modelType.slice(0, 100)
  const why = notModelled(modelType)
  if (why)
    return faultyValue('unknown-name', { pointer, detail: `models of type ${shown} are left out: ${why}` })
  const suggestions = nearest(modelType, Object.keys(families))
  const meant = suggestions.length ? `the nearest are ${suggestions.join(', ')}; ` : ''
  return faultyValue('unknown-name', {
    pointer,
    detail: `models of type ${shown} are not known; ${meant}${byHand}`,
    suggestions,
  })
}

const byHand =
  'any other model can be given by its dimensions instead: model: {layers, dModel, dFf, heads, kvHeads, headDim, vocab, ' +
  'gatedMlp, tiedEmbeddings}, with moe: {experts, activeExperts, sharedExperts, dFfExpert, denseLayers} and ' +
  'attention: {kind, window, globalEvery, mla} where it has them'
