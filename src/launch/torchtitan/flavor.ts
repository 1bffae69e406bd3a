/**
 * The model's name in torchtitan, which knows shapes only as flavors: one of its own if the shape is the same,
 * otherwise the name of a flavor to register with its Llama 3. Null if the model is of another kind. Source:
 * pytorch/torchtitan v0.2.2, torchtitan/models/{llama3,qwen3}/__init__.py.
 */
import { rememberedOf } from '../../known.ts'
import type { Transformer } from '../../model/transformer.ts'
import type { MeshRun } from '../run/run.ts'
import { expertFlavor } from './expert-flavors.ts'
import type { Flavor } from './named-flavor.ts'

/** layers, dModel, dFf, heads, kvHeads, headDim, vocab, tied embeddings */
type Shape = readonly [number, number, number, number, number, number, number, boolean]

const flavors: readonly (readonly [name: string, flavor: string, shape: Shape])[] = [
  ['llama3', '8B', [32, 4096, 14336, 32, 8, 128, 128256, false]],
  ['llama3', '70B', [80, 8192, 28672, 64, 8, 128, 128256, false]],
  ['llama3', '405B', [126, 16384, 53248, 128, 8, 128, 128256, false]],
  ['qwen3', '0.6B', [28, 1024, 3072, 16, 8, 128, 151936, true]],
  ['qwen3', '1.7B', [28, 2048, 6144, 16, 8, 128, 151936, true]],
  ['qwen3', '4B', [36, 2560, 9728, 32, 8, 128, 151936, true]],
  ['qwen3', '8B', [36, 4096, 12288, 32, 8, 128, 151936, false]],
  ['qwen3', '14B', [40, 5120, 17408, 40, 8, 128, 151936, false]],
  ['qwen3', '32B', [64, 5120, 25600, 64, 8, 128, 151936, false]],
]

export function torchtitanFlavor(run: Pick<MeshRun, 'model' | 'mesh'>): Flavor | null {
  const { model } = run
  return model.experts ? expertFlavor(run, model.experts) : denseFlavor(model)
}

/** Each mesh of a search is asked for it. */
const denseFlavor = rememberedOf((model: Transformer): Flavor | null => {
  if (model.attention.latent) return null
  const shape = shapeOf(model)
  const known = flavors.find(([, , other]) => other.every((size, index) => size === shape[index]))
  // Of the same sizes a model may still be of another kind.
  if (known && !ofOtherKind.some(({ when }) => when(model))) {
    const [name, flavor] = known
    return { model: { name, flavor }, known: true, pipelines: name === 'llama3', notes: [] }
  }
  if (otherThanFlavors(model).length > 0) return null
  // The prefix keeps the name apart from existing flavors: an unknown one stops the launch.
  const flavor = `shardplan-${model.name}`
  const sizes = `${model.layers} layers, dim ${model.dModel}, feed-forward ${model.dFf}, ${model.heads} heads, ${model.kvHeads} key-value heads, vocabulary ${model.vocab}`
  const note = `torchtitan: register the flavor ${flavor} in torchtitan/models/llama3 first: ${sizes}.`
  return { model: { name: 'llama3', flavor }, known: false, pipelines: true, notes: [note] }
})

interface Unlike {
  readonly says: string
  readonly when: (model: Transformer) => boolean
}

/** What no dense model of torchtitan has. */
const ofOtherKind: readonly Unlike[] = [
  {
    says: 'it has learned positions, where its models have rotary ones',
    when: ({ learnedPositions }) => learnedPositions > 0,
  },
  { says: 'its MLP has no gate', when: ({ gatedMlp }) => !gatedMlp },
  {
    says: 'attention and MLP read one input beside each other',
    when: ({ parallelBlocks }) => parallelBlocks,
  },
]

/** What one of a shape of its own has not either, as it is registered with Llama 3. */
const unlike: readonly Unlike[] = [
  ...ofOtherKind,
  {
    says: 'its embeddings are tied, which those of Llama 3 are not',
    when: ({ tiedEmbeddings }) => tiedEmbeddings,
  },
  {
    says: 'its heads together are not as wide as the model, as those of Llama 3 are',
    when: ({ heads, headDim, dModel }) => heads * headDim !== dModel,
  },
]

export function otherThanFlavors(model: Transformer): readonly string[] {
  return unlike.filter(({ when }) => when(model)).map(({ says }) => says)
}

/**
 * The shape of one of torchtitan's flavors, in the words of a request; null for unknown ones, and for those with
 * experts, whose tables here lack some dimensions.
 */
export function shapeNamed(name: string, flavor: string): Readonly<Record<string, unknown>> | null {
  const [, , shape] = flavors.find(([own, known]) => own === name && known === flavor) ?? []
  if (!shape) return null
  const [layers, dModel, dFf, heads, kvHeads, headDim, vocab, tiedEmbeddings] = shape
  return { layers, dModel, dFf, heads, kvHeads, headDim, vocab, gatedMlp: true, tiedEmbeddings }
}

function shapeOf(model: Transformer): Shape {
  const { layers, dModel, dFf, heads, kvHeads, headDim, vocab, tiedEmbeddings } = model
  return [layers, dModel, dFf, heads, kvHeads, headDim, vocab, tiedEmbeddings]
}
