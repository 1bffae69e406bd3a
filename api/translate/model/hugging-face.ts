/** Turns a Hugging Face config.json into a model, or into a problem that says what would help. */
import { families, importHuggingFace } from '../../../src/model/hugging-face/import.ts'
import { notModelled } from '../../../src/model/hugging-face/not-modelled.ts'
import { nearest } from '../../hints/nearest.ts'
import { type Fault, faulty, faultyValue, type ProblemError } from '../../problems.ts'
import type { HuggingFaceConfig } from '../../schemas/given/model.ts'
import { jsonPointer } from '../../validation/json-pointer.ts'
import type { ResolvedModel } from './resolved-model.ts'

const above = ['model', 'huggingFace']
const mostFaults = 32

export function importedModel(config: HuggingFaceConfig): ResolvedModel {
  const result = importHuggingFace(config)
  if (result.status === 'unknown-type') throw unknownType(result.modelType)
  if (result.status === 'faulty') {
    const faults = result.faults
      .slice(0, mostFaults)
      .map(({ pointer, detail }): Fault => ({ pointer: `${jsonPointer(above)}${pointer}`, detail }))
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
