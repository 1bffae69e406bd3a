/**
 * The Transformer that Megatron-LM's options describe, in the words of a request. Some of its defaults may surprise:
 * tied embeddings, learned positions, an MLP of 4 times the width, one group of keys and values with grouped attention.
 * Null if the options do not give its dimensions. Source: as flags.ts (core_v0.19.0, validate_args).
 */
import { compact } from '../../../compact.ts'
import { type Fields, ownValue } from '../../../fields.ts'
import { blockLetters } from '../../../model/layer-pattern.ts'
import type { Options } from '../../read/options.ts'
import { pythonList } from '../../read/python-list.ts'
import { rowsOf } from '../../settings/settings.ts'
import { expertSettings } from '../experts.ts'
import { hybridSettings } from '../hybrid.ts'
import type { MegatronSaid } from '../settings.ts'
import { type PatternRead, readPattern, recurrenceOf } from './layer-pattern.ts'
import { readMixers } from './recurrence.ts'

export interface ModelRead {
  readonly model: Fields | null
  readonly faults: readonly string[]
  readonly notes: readonly string[]
}

export function readMegatronModel(options: Options, said: MegatronSaid): ModelRead {
  const pattern = readPattern(said)
  const { dModel, heads, latent } = said
  const layers = pattern?.layers.length ?? said.layers
  const vocab = said.vocab ?? options.whole('--pad-vocab-size-to') ?? vocabularyOf(options)
  const gatedMlp = said.swiglu || said.quick.geglu
  // Of forks (BigCode's): one head of keys and values.
  const single = options.text('--attention-head-type') === 'multiquery'
  const rotary = options.has('--use-rotary-position-embeddings')
  const positions = rotary ? 'rope' : (said.kind ?? 'learned_absolute')
  const multiTokenLayers = pattern?.further ?? said.multiTokenLayers
  const uncounted = uncountedOf(options)
  const whole = layers !== null && dModel !== null && heads !== null
  const mixers = pattern
    ? { recurrence: recurrenceOf(said, pattern), index: null, faults: pattern.faults, notes: [] }
    : readMixers(said, whole ? layers : null)
  const { recurrence, index } = mixers
  if (!whole) {
    const notes = compact(mixers.notes, halfSaid(options))
    return { model: null, faults: [...uncounted, ...mixers.faults], notes }
  }
  const dFf = said.dFf ?? (gatedMlp ? Math.trunc((4 * dModel * 2) / 3 / 64) * 64 : 4 * dModel)
  const { moe, faults } = expertsOf(said.experts, pattern, layers, dFf)
  const { isLatent, ...mla } = latent
  const attention = {
    ...(isLatent ? { kind: 'mla', mla } : {}),
    ...(index ? { index } : {}),
    ...windowOf(said.windows),
    ...(said.outputGate ? { outputGate: true } : {}),
  }
  const model = {
    layers,
    dModel,
    dFf,
    heads,
    kvHeads: said.grouped ? (said.groups ?? 1) : single ? 1 : heads,
    // Latent attention has widths of its own, whatever --kv-channels says.
    ...(isLatent ? {} : { headDim: said.headDim ?? Math.trunc(dModel / heads) }),
    ...(vocab === null ? {} : { vocab }),
    gatedMlp,
    tiedEmbeddings: !said.untied,
    learnedPositions: /^(learned_)?absolute$/.test(positions) ? (said.positions ?? 0) : 0,
    biases: !said.unbiased,
    ...(pattern ? { layerPattern: pattern.layers } : {}),
    ...(moe ? { moe } : {}),
    ...(Object.keys(attention).length > 0 ? { attention } : {}),
    ...(recurrence ? { recurrence } : {}),
    ...(multiTokenLayers ? { multiTokenLayers } : {}),
  }
  return { model, faults: [...uncounted, ...mixers.faults, ...faults], notes: mixers.notes }
}

/** What options say of experts and recurrences of a model whose dimensions they do not give. */
function halfSaid(options: Options): string | null {
  const rows = rowsOf({ experts: expertSettings, scan: hybridSettings.scan })
  const said = rows.filter(({ option, read }) => read && options.given(option) !== null)
  if (said.length === 0) return null
  return `${said.map(({ option }) => option).join(', ')}: not counted without --num-layers, --hidden-size and --num-attention-heads, as the model is that of the request`
}

/** What options say of a model that would be counted as another one. */
function uncountedOf(options: Options): readonly string[] {
  const images = imageOptions.filter((name) => options.has(name))
  const shapes = Object.entries(otherShapes).filter(([name]) => options.has(name))
  return compact(
    images.length > 0 && `${images.join(', ')}: models of images and text are not counted`,
    shapes.map(([name, what]) => `${name}: ${what} are not counted`),
  )
}

/** Options that give layers another shape, with what they then are. */
const otherShapes: Readonly<Record<string, string>> = {
  '--heterogeneous-layers-config-path': 'layers of unlike shapes',
  '--heterogeneous-layers-config-encoded-json': 'layers of unlike shapes',
}

/** Options of examples/multimodal, whose --seq-length counts pieces of an image. */
const imageOptions = ['--language-model-type', '--vision-model-type', '--img-h']

/**
 * Tokenizers whose vocabulary is theirs alone. pretrain_gpt.py takes the first if none is named. Source: as flags.ts,
 * megatron/training/tokenizer, pretrain_gpt.py.
 */
const vocabularies: Readonly<Record<string, number>> = { GPT2BPETokenizer: 50257, Llama2Tokenizer: 32000 }

function vocabularyOf(options: Options): number | null {
  const merges = options.has('--merge-file')
  const type = options.text('--tokenizer-type') ?? (merges ? 'GPT2BPETokenizer' : '')
  return ownValue(vocabularies, type) ?? null
}

/** W - 1 positions to the left make a window of W; every n-th layer skips it. */
function windowOf({ window, globalEvery: skip }: MegatronSaid['windows']): Fields {
  const left = /^\(?\s*(\d+)/.exec(window ?? '')?.[1]
  if (left === undefined) return {}
  return { window: Number(left) + 1, ...(skip && /^\d+$/.test(skip) ? { globalEvery: Number(skip) } : {}) }
}

function expertsOf(
  said: MegatronSaid['experts'],
  pattern: PatternRead | null,
  layers: number,
  dFf: number,
): { readonly moe: Fields | null; readonly faults: readonly string[] } {
  const { count: experts, activeExperts, shared, latentWidth, groupLimit: nodeLimit } = said
  const dFfExpert = said.dFfExpert ?? dFf
  const frequency = said.layers ?? '1'
  if (experts === null || pattern?.layers.includes(blockLetters.sparse) === false) {
    return { moe: null, faults: [] }
  }
  const listed = patternOf(frequency, layers)
  const placed = pattern ? {} : listed && placedAs(listed)
  const faults = compact(
    !placed &&
      `--moe-layer-freq ${frequency}: layers with experts are counted where the first are dense and then one in so many has them, the last of each`,
    shared % dFfExpert !== 0 &&
      `--moe-shared-expert-intermediate-size ${shared} is not so many experts of ${dFfExpert}`,
  )
  const moe = {
    experts,
    activeExperts,
    dFfExpert,
    ...(shared > 0 ? { sharedExperts: shared / dFfExpert } : {}),
    ...(nodeLimit === null ? {} : { nodeLimit }),
    ...(latentWidth === null ? {} : { latentWidth }),
    ...placed,
  }
  return { moe, faults }
}

/** For each layer, whether it has experts (1) or not (0); a number n means the first of each n layers. */
function patternOf(frequency: string, layers: number): readonly number[] | null {
  const every = /^\d+$/.test(frequency) ? Number(frequency) : null
  if (every === 0) return null
  const pattern =
    every === null
      ? pythonList(frequency)
      : Array.from({ length: Math.min(layers, 10_000) }, (_, layer) => (layer % every === 0 ? 1 : 0))
  return pattern?.length === layers ? pattern : null
}

/** The pattern as a request gives it: a number of dense layers, then experts in the last of each `every` layers; null if it is no such pattern. */
function placedAs(
  pattern: readonly number[],
): { readonly denseLayers: number; readonly every: number } | null {
  const places = pattern.flatMap((has, layer) => (has ? [layer] : []))
  const [first = 0, second] = places
  const every = second === undefined ? 1 : second - first
  const denseLayers = first - (every - 1)
  const same = pattern.every(
    (has, layer) => (layer >= denseLayers && (layer - denseLayers + 1) % every === 0) === (has === 1),
  )
  return denseLayers >= 0 && same ? { denseLayers, every } : null
}
