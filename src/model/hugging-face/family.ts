/**
 * One row of the table of families: for every dimension of a model, the field that gives it, or what holds where no field does.
 * Fields that transformers may leave out of a config.json have here the default of the class that reads it.
 */
import { limits } from '../limits.ts'
import type { RecurrentMixer } from '../recurrent-mixers.ts'
import type { AttentionSpelling } from '../spelling.ts'
import type { CompressedAttention } from '../transformer.ts'
import type { Fields } from './fields.ts'

export type Cell<T> = (fields: Fields) => T

export type NumberCell = Cell<number>

export interface ExpertCells {
  /** Undefined when this config has no experts. */
  readonly experts: Cell<number | undefined>
  readonly activeExperts: NumberCell
  readonly sharedExperts: NumberCell
  readonly dFfExpert: NumberCell
  /** Absent where experts take in the stream. */
  readonly latentWidth?: Cell<number | undefined>
  readonly denseLayers: NumberCell
  readonly every: NumberCell
  /** Number of groups of experts (one a node, by intent) that the experts of a token may be in. */
  readonly nodeLimit: Cell<number | undefined>
}

export interface LatentCells {
  readonly queryRank: Cell<number | undefined>
  readonly keyValueRank: NumberCell
  readonly nopeHeadDim: NumberCell
  readonly ropeHeadDim: NumberCell
  readonly valueHeadDim: NumberCell
}

export interface IndexCells {
  readonly positions: NumberCell
  readonly heads: NumberCell
  readonly headDim: NumberCell
  readonly firstLayers: NumberCell
  readonly every: NumberCell
}

export interface RecurrenceCells {
  readonly mixer: RecurrentMixer
  /** Absent where a pattern of layers says which attend. */
  readonly attentionEvery?: NumberCell
  readonly lastAttends?: Cell<boolean>
  readonly keyHeads: NumberCell
  readonly keyDim: NumberCell
  readonly heads: NumberCell
  readonly valueDim: NumberCell
  readonly convolution: NumberCell
}

export type Windows = Pick<AttentionSpelling, 'window' | 'globalEvery'>

export interface Family {
  /** Where the names and the defaults come from. */
  readonly source: string
  readonly layers: NumberCell
  readonly dModel: NumberCell
  readonly dFf: NumberCell
  readonly heads: NumberCell
  /** When undefined, as many as heads. */
  readonly kvHeads: Cell<number | undefined>
  /** When undefined, dModel / heads. */
  readonly headDim: Cell<number | undefined>
  readonly vocab: NumberCell
  readonly gatedMlp: Cell<boolean>
  readonly tiedEmbeddings: Cell<boolean>
  readonly biases?: Cell<boolean>
  readonly learnedPositions: NumberCell
  readonly parallelBlocks: Cell<boolean>
  /** Absent where all layers have a mixer and an MLP. */
  readonly layerPattern?: Cell<string>
  readonly maxSequenceLength: Cell<number | undefined>
  readonly windows: Cell<Windows>
  readonly experts: ExpertCells | null
  readonly latent: LatentCells | null
  /** Absent where queries meet all positions. */
  readonly index?: IndexCells
  /** Absent where queries meet positions alone. */
  readonly compressed?: Cell<CompressedAttention>
  /** Absent where there is one stream. */
  readonly residualStreams?: NumberCell
  /** Absent where all layers attend. */
  readonly recurrence?: RecurrenceCells
  readonly outputGate?: Cell<boolean>
  readonly multiTokenLayers: NumberCell
}

type Limit = keyof typeof limits

export function needed(limit: Limit, ...names: readonly string[]): NumberCell {
  return (fields) => fields.needed(names, limits[limit])
}

export function optional(limit: Limit, ...names: readonly string[]): Cell<number | undefined> {
  return (fields) => fields.number(names, limits[limit])
}

export function either(limit: Limit, name: string, otherwise: number): NumberCell {
  return (fields) => fields.number([name], limits[limit]) ?? otherwise
}

/** The class's default where the field is absent; an explicit null means that there is no value. */
export function whereAbsent(limit: Limit, name: string, otherwise: number): Cell<number | undefined> {
  return (fields) => (fields.states(name) ? fields.number([name], limits[limit]) : otherwise)
}

export function countOr(limit: Limit, name: string, otherwise: number): NumberCell {
  return (fields) => fields.count(name, limits[limit]) ?? otherwise
}

export function flag(name: string, otherwise: boolean): Cell<boolean> {
  return (fields) => fields.flag(name) ?? otherwise
}

export function always<T>(value: T): Cell<T> {
  return () => value
}

/** Reads a cell from an object inside the config. */
export function inside<T>(name: string, cell: Cell<T>): Cell<T> {
  return (fields) => cell(fields.part(name))
}
