/**
 * A model from the config.json that Hugging Face keeps beside its weights.
 *
 * The config's model_type picks a row of the tables; each cell reads its field. A config with a text_config (a model
 * that also sees or hears) gives its language model. What is not understood is told, never guessed: an unknown
 * type and a missing number are results, not exceptions.
 */
import { isFields, ownValue } from '../../fields.ts'
import { detailsIn } from '../details.ts'
import { blockLetters } from '../layer-pattern.ts'
import { type Spelling, spelledOut } from '../spelling.ts'
import { type SpellingFault, spellingFaults } from '../spelling-faults.ts'
import type { Transformer } from '../transformer.ts'
import { type Checkpoint, checkpointIn } from './checkpoint.ts'
import { compressedFamilies } from './compressed-families.ts'
import { deepseekFamilies } from './deepseek-families.ts'
import { denseFamilies } from './dense-families.ts'
import { expertFamilies } from './expert-families.ts'
import type { Cell, ExpertCells, Family, IndexCells, LatentCells, RecurrenceCells } from './family.ts'
import { type ConfigFault, type Fields, type Findings, fieldsOf } from './fields.ts'
import { immaterial } from './immaterial.ts'
import { patternedFamilies } from './patterned-families.ts'
import { plainFamilies } from './plain-families.ts'
import { recurrentFamilies } from './recurrent-families.ts'

export const families: Readonly<Record<string, Family>> = {
  ...denseFamilies,
  ...expertFamilies,
  ...deepseekFamilies,
  ...compressedFamilies,
  ...plainFamilies,
  ...recurrentFamilies,
  ...patternedFamilies,
}

export type HuggingFaceImport =
  | {
      readonly status: 'imported'
      readonly transformer: Transformer
      /** The same model, as a request would spell it. */
      readonly spelling: Spelling
      /** Absent when the config does not say. */
      readonly checkpoint?: Checkpoint
      /** What the model leaves out of the config or reads as something else: a field's name, or a sentence. */
      readonly ignored: readonly string[]
    }
  | { readonly status: 'unknown-type'; readonly modelType: string | null }
  | { readonly status: 'faulty'; readonly faults: readonly ConfigFault[] }

export function importHuggingFace(config: Readonly<Record<string, unknown>>): HuggingFaceImport {
  const findings: Findings = { faults: [], notes: [] }
  const whole = fieldsOf(config, findings)
  const nested = isFields(config.text_config)
  const text = nested ? whole.part('text_config') : whole
  const modelType = text.text('model_type') ?? whole.text('model_type') ?? null
  const family = modelType === null ? undefined : ownValue(families, modelType)
  if (!family) return { status: 'unknown-type', modelType }
  const spelling = spellingOf(family, text, nested ? whole : null)
  const checkpoint = checkpointIn(text, whole)
  const name = nameOf(whole.text('_name_or_path')) ?? modelType ?? ''
  if (findings.faults.length > 0) return { status: 'faulty', faults: distinct(findings.faults) }
  const faults = spellingFaults(spelling)
  if (faults.length > 0) return { status: 'faulty', faults: faults.map((fault) => inConfig(fault, nested)) }
  const left = [
    ...(nested ? text.unread().map((field) => `text_config.${field}`) : []),
    ...whole.unread(),
  ].filter((path) => !immaterial(path.replace('text_config.', '')))
  const details = detailsIn(config)
  const transformer = { ...spelledOut(name, spelling), ...(details ? { details } : {}) }
  return {
    status: 'imported',
    transformer,
    spelling,
    ...(checkpoint ? { checkpoint: checkpoint(transformer) } : {}),
    ignored: [...left, ...new Set(findings.notes)],
  }
}

/** Whether embeddings are tied may be said beside the text_config, where it is not said inside. */
function spellingOf(family: Family, fields: Fields, above: Fields | null): Spelling {
  const has = <T>(cell: Cell<T>): T => cell(fields)
  const kvHeads = has(family.kvHeads)
  const headDim = has(family.headDim)
  const maxSequenceLength = has(family.maxSequenceLength)
  const tied = fields.flag('tie_word_embeddings') ?? above?.flag('tie_word_embeddings')
  const moe = family.experts && expertsOf(family.experts, fields)
  return {
    layers: has(family.layers),
    dModel: has(family.dModel),
    dFf: has(family.dFf),
    heads: has(family.heads),
    vocab: has(family.vocab),
    gatedMlp: has(family.gatedMlp),
    tiedEmbeddings: tied ?? has(family.tiedEmbeddings),
    learnedPositions: has(family.learnedPositions),
    parallelBlocks: has(family.parallelBlocks),
    multiTokenLayers: has(family.multiTokenLayers),
    ...(kvHeads === undefined ? {} : { kvHeads }),
    ...(headDim === undefined ? {} : { headDim }),
    ...(maxSequenceLength === undefined ? {} : { maxSequenceLength }),
    ...(family.biases && has(family.biases) ? { biases: true } : {}),
    ...(family.residualStreams ? { residualStreams: has(family.residualStreams) } : {}),
    ...(moe ? { moe } : {}),
    attention: {
      ...has(family.windows),
      ...(family.latent ? { kind: 'mla', mla: latentOf(family.latent, fields) } : {}),
      ...(family.index ? { index: indexOf(family.index, fields) } : {}),
      ...(family.compressed ? { compressed: has(family.compressed) } : {}),
      ...(family.outputGate && has(family.outputGate) ? { outputGate: true } : {}),
    },
    ...layersOf(family, fields),
  }
}

/** Which layers have what. A model of which no layer has the recurrence has none. */
function layersOf({ layerPattern, recurrence }: Family, fields: Fields): Partial<Spelling> {
  const pattern = layerPattern?.(fields)
  const recurs = recurrence && (pattern === undefined || pattern.includes(blockLetters.recurrent))
  return {
    ...(pattern === undefined ? {} : { layerPattern: pattern }),
    ...(recurs ? { recurrence: recurrenceOf(recurrence, fields) } : {}),
  }
}

function expertsOf(cells: ExpertCells, fields: Fields) {
  const experts = cells.experts(fields)
  if (experts === undefined) return undefined
  const nodeLimit = cells.nodeLimit(fields)
  const latentWidth = cells.latentWidth?.(fields)
  return {
    experts,
    activeExperts: cells.activeExperts(fields),
    sharedExperts: cells.sharedExperts(fields),
    dFfExpert: cells.dFfExpert(fields),
    denseLayers: cells.denseLayers(fields),
    every: cells.every(fields),
    ...(nodeLimit === undefined ? {} : { nodeLimit }),
    ...(latentWidth === undefined ? {} : { latentWidth }),
  }
}

function latentOf(cells: LatentCells, fields: Fields) {
  return {
    queryRank: cells.queryRank(fields) ?? null,
    keyValueRank: cells.keyValueRank(fields),
    nopeHeadDim: cells.nopeHeadDim(fields),
    ropeHeadDim: cells.ropeHeadDim(fields),
    valueHeadDim: cells.valueHeadDim(fields),
  }
}

function indexOf(cells: IndexCells, fields: Fields) {
  return {
    positions: cells.positions(fields),
    heads: cells.heads(fields),
    headDim: cells.headDim(fields),
    firstLayers: cells.firstLayers(fields),
    every: cells.every(fields),
  }
}

function recurrenceOf(cells: RecurrenceCells, fields: Fields) {
  for (const name of ['mamba_ssm_dtype', 'mamba_ssm_cache_dtype']) {
    const type = fields.text(name)
    if (type !== undefined && type !== 'float32')
      fields.note(`${name} ${type.slice(0, 20)}: states are counted in float32, of 4 bytes`)
  }
  return {
    mixer: cells.mixer,
    ...(cells.attentionEvery ? { attentionEvery: cells.attentionEvery(fields) } : {}),
    ...(cells.lastAttends?.(fields) ? { lastAttends: true } : {}),
    keyHeads: cells.keyHeads(fields),
    keyDim: cells.keyDim(fields),
    heads: cells.heads(fields),
    valueDim: cells.valueDim(fields),
    convolution: cells.convolution(fields),
  }
}

/** One field may be read by several cells, so the same fault is kept once. */
function distinct(faults: readonly ConfigFault[]): readonly ConfigFault[] {
  return [...new Map(faults.map((fault) => [fault.pointer, fault])).values()]
}

/** The field to blame for a fault of the model as spelled; nearly all configs have these names. */
const fieldOf: Readonly<Record<string, string>> = {
  '/headDim': 'head_dim',
  '/kvHeads': 'num_key_value_heads',
  '/moe/activeExperts': 'num_experts_per_tok',
  '/moe/nodeLimit': 'topk_group',
}

function inConfig({ pointer, detail }: SpellingFault, nested: boolean): ConfigFault {
  const field = fieldOf[pointer]
  const said = `${pointer.slice(1).replaceAll('/', '.')}: ${detail}`
  return { pointer: `${nested ? '/text_config' : ''}${field ? `/${field}` : ''}`, detail: said }
}

/** The last part of a path, or of owner/name. */
function nameOf(path: unknown): string | undefined {
  if (typeof path !== 'string') return undefined
  return path
    .split('/')
    .findLast((part) => part.length > 0)
    ?.slice(0, 100)
}
