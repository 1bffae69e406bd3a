/** Turns the model of a request into a Transformer. */
import { foreignFormat } from '../../../src/model/foreign-formats.ts'
import { notModelled } from '../../../src/model/hugging-face/not-modelled.ts'
import { unknownWords } from '../../../src/model/release-name.ts'
import { spelledOut } from '../../../src/model/spelling.ts'
import { spellingFaults } from '../../../src/model/spelling-faults.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { checkpointsNamed } from '../../../src/precision/named.ts'
import { type Catalogue, type KnownModel, knownModel, nearestModels } from '../../catalogue.ts'
import { unknownValue } from '../../hints/unknown-name.ts'
import { faulty, faultyValue, meaning, type ProblemError } from '../../problems.ts'
import type { Architecture, ModelRequest } from '../../schemas/given/model.ts'
import { importedModel } from './hugging-face.ts'
import type { ResolvedModel } from './resolved-model.ts'

export function resolvedModel(request: ModelRequest, catalogue: Catalogue): ResolvedModel {
  if (typeof request === 'string') {
    const { record, transformer, checkpoints } = named(request, catalogue)
    const stored = checkpointsNamed(request, checkpoints, transformer)
    return { transformer, checkpoints: stored, warnings: takenFor(request, record.name) }
  }
  if ('huggingFace' in request) return importedModel(request.huggingFace)
  return { transformer: written(request), checkpoints: [], warnings: [] }
}

function named(name: string, catalogue: Catalogue): KnownModel {
  const known = knownModel(catalogue, name)
  const foreign = foreignFormat(name)
  if (foreign) throw inForeignFormat(name, foreign, known?.record.name)
  if (known) return known
  const why = notModelled(name)
  if (why) {
    const detail = `no model is named ${name}; what has this name is left out: ${why}`
    throw faultyValue('unknown-name', { pointer: '/model', detail })
  }
  const found = { nearest: nearestModels(catalogue, name), all: '; GET /models has all' }
  throw unknownValue('model', name, '/model', found)
}

function inForeignFormat(name: string, foreign: string, known: string | undefined): ProblemError {
  const pointer = '/model'
  const instead = known === undefined ? 'the release that it was made of' : known
  return faultyValue('not-offered', {
    pointer,
    detail: `${name} has ${foreign}: plan ${instead}, with precision.weights (int4, int8) for as many bits, and start a release of it in AWQ, GPTQ, FP8 or the like`,
    ...(known === undefined ? {} : { suggestions: [known], ...meaning(pointer, [known]) }),
  })
}

/** Whoever trains a model on gives it a name of their own, which may also be that of another model. */
function takenFor(written: string, name: string): readonly string[] {
  const unknown = unknownWords(written, name)
  return unknown.length > 0
    ? [`${written} is taken for ${name}: nothing is known of "${unknown.join('-')}" in its name`]
    : []
}

function written({ name = 'custom', ...spelling }: Architecture): Transformer {
  const faults = spellingFaults(spelling).map(({ pointer, detail }) => ({
    pointer: `/model${pointer}`,
    detail,
  }))
  if (faults.length > 0) throw faulty('impossible-combination', faults)
  return spelledOut(name, spelling)
}
