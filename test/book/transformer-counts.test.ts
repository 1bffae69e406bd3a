import { book } from '../../src/assumptions/book.ts'
import { compile } from '../../src/cost/compile/compile.ts'
import { extentsOf } from '../../src/cost/compile/extents.ts'
import { createScale, setBatch, setMesh, termValue } from '../../src/cost/compile/term.ts'
import { computeRates } from '../../src/cost/compute/compute.ts'
import { recomputedArrays } from '../../src/cost/memory/recomputation.ts'
import { layerForwardFlops } from '../../src/model/flops.ts'
import { kvCacheBytesPerToken } from '../../src/model/kv-cache.ts'
import { layerParameters, parameterCount } from '../../src/model/parameters.ts'
import type { Transformer } from '../../src/model/transformer.ts'
import { elementBytes } from '../../src/recipe/element-type.ts'
import { policyRows } from '../../src/recipe/policy.ts'
import { unitMesh } from '../../src/sharding/axis.ts'
import { derive } from '../../src/sharding/derive.ts'
import { catalogueModel } from '../catalogue.ts'
import { freely } from '../rounding.ts'
import { denseTrainFlops, layerComponents, layerTrainFlops } from '../rules-of-thumb.ts'
import { section } from './case.ts'
import { inventedChip } from './chips.ts'
import { crossing } from './crossing.ts'
import { modelOf, modelOfSize } from './models.ts'
import { precisionOf } from './precision.ts'

const year = 365 * 24 * 3600

section('counts of a Transformer', (hold) => {
  for (const id of ['tf-flops-layer-mha', 'tf-flops-layer-gqa']) {
    hold(id, 'FLOPs of one layer, by part', (input) => {
      const model = modelOf({
        dModel: input('D'),
        dFf: input('F'),
        heads: input('N'),
        kvHeads: input('K'),
        headDim: input('H'),
      })
      const [tokens, length] = [input('B') * input('T'), input('T')]
      const train = layerTrainFlops(model, tokens, length, 'full')
      const { mlp, attention } = layerParameters(model)
      return {
        mlp_train: train.mlp,
        qkvo_train: train.projections,
        attn_dot_train: train.dotProducts,
        attn_dot_train_causal_useful: layerTrainFlops(model, tokens, length, 'causal').dotProducts,
        mlp_params: mlp,
        attn_params: attention,
        fwd_total: layerForwardFlops(model, tokens, length, 'full').total,
      }
    })
  }

  hold('tf-attn-frac-4096-8192', 'dot products overtake the matmuls at sequences of 8 D', (input) => {
    const D = input('D')
    const model = modelOf({ dModel: D, dFf: input('F_over_D') * D })
    const share = (length: number) => {
      const { mlp, projections, dotProducts } = layerForwardFlops(model, length, length, 'full')
      return dotProducts / (mlp + projections)
    }
    return {
      attn_over_matmul: share(input('T')),
      T_crossover: crossing((length) => share(length) - 1, 1, 1e9),
    }
  })

  hold('tf-q5', 'dot products overtake the projections at sequences of 2 D', (input) => {
    const model = modelOf({ dModel: input('D'), heads: 32 })
    const equal = (length: number) => {
      const { projections, dotProducts } = layerForwardFlops(model, length, length, 'full')
      return dotProducts === projections
    }
    return { T: Array.from({ length: 1e5 }, (_, length) => length + 1).find(equal) ?? 0 }
  })

  hold('tf-q6', 'what keeps the big matmuls computes both products of attention again', (input) => {
    const [B, T, N, H] = [input('B'), input('T'), input('N'), input('H')]
    const model = modelOf({ heads: N, headDim: H, dModel: N * H })
    return { extra_flops: recomputedFlops(model, 'minimal', B, T) }
  })

  hold('tf-q1', 'a 17B model, the share of attention in it, and its cache', (input) => {
    const model = modelOf({
      layers: input('L'),
      dModel: input('D'),
      dFf: input('F'),
      vocab: input('V'),
      heads: input('N_times_H') / 128,
    })
    const layer = layerParameters(model)
    const count = parameterCount(model)
    return {
      params: count.total,
      attn_fraction_of_layer: layer.attention / (layer.attention + layer.mlp),
      attn_fraction_of_total: count.attention / count.total,
      kv_bytes_per_token: kvCacheBytesPerToken(model, input('kv_bytes')),
    }
  })

  hold('tf-kv-8k', 'the cache of 8192 tokens in int8', (input) => {
    const model = modelOf({ layers: input('L'), dModel: input('K_times_H') })
    return { bytes: input('S') * kvCacheBytesPerToken(model, elementBytes.int8) }
  })

  hold('in-kv-13b', 'the cache and the weights of LLaMA-2 13B in bf16', (input) => {
    const model = catalogueModel('llama-2-13b')
    const perToken = kvCacheBytesPerToken(model, elementBytes.bf16)
    return {
      bytes: input('T') * perToken,
      bytes_per_token: perToken,
      params_bytes: parameterCount(model).total * elementBytes.bf16,
    }
  })

  hold('ai-kv-token', 'a token of LLaMA-3 70B in an int8 cache', () => ({
    bytes: kvCacheBytesPerToken(catalogueModel('llama-3-70b'), elementBytes.int8),
  }))

  for (const [id, name] of [
    ['tr-q1-13b', 'llama-2-13b'],
    ['at-params-70b', 'llama-3-70b'],
  ] as const) {
    hold(id, `the parameters of ${name}, by part`, () => byPart(catalogueModel(name)))
  }

  hold('at-w2-405b', 'the parameters of LLaMA-3.1 405B, and the FLOPs to train it', () => {
    const model = catalogueModel('llama-3.1-405b')
    const { total } = parameterCount(model)
    return {
      ...byPart(model),
      flops_per_token: denseTrainFlops(total, 1),
      flops_15T: denseTrainFlops(total, 15e12),
    }
  })

  hold('art-llama65b-params', 'the parameters of LLaMA 65B, and its cache in fp16', () => {
    const model = catalogueModel('llama-1-65b')
    return {
      ...byPart(model),
      fp16_bytes: parameterCount(model).total * elementBytes.bf16,
      kv_bytes_per_token_fp16: kvCacheBytesPerToken(model, elementBytes.bf16),
    }
  })

  hold('at-flops-token', 'a token trained on one chip', (input) => {
    const flops = denseTrainFlops(parameterCount(modelOfSize(input('params'))).total, 1)
    const { secondsPerFlop } = computeRates(inventedChip(input('flops_per_s')), 'bf16', book)
    return { flops, time_s: flops * secondsPerFlop }
  })

  hold('at-flops-total', 'fifteen trillion tokens trained on one chip', (input) => {
    const flops = denseTrainFlops(parameterCount(modelOfSize(input('params'))).total, input('tokens'))
    const { secondsPerFlop } = computeRates(inventedChip(input('flops_per_s')), 'bf16', book)
    return { flops, years: (flops * secondsPerFlop) / year }
  })
})

/** Norms apart: the book leaves them out. */
function byPart(model: Transformer) {
  const { mlp, attention, embedding, unembedding, total } = parameterCount(model)
  return { mlp, attention, vocab: embedding + unembedding, total }
}

/** Of one layer, in what runs again in the backward pass. */
function recomputedFlops(model: Transformer, name: string, batch: number, length: number): number {
  const policy = policyRows.find((one) => one.name === name)
  if (!policy) throw new RangeError(`There is no policy ${name}`)
  const extents = extentsOf(model, length)
  const scale = createScale()
  setMesh(scale, unitMesh, extents, freely)
  setBatch(scale, batch)
  const products = layerComponents(model, 'feature').flatMap((component) => {
    const recomputed = recomputedArrays(component, policy)
    const derivation = derive(component, { zeroStage: 0, regatherActivations: false, recomputed })
    return compile(derivation, extents, precisionOf(), { ...book, attentionFlops: 'full' }).backward.products
  })
  return products
    .filter((product) => product.recomputed)
    .reduce((sum, { flops }) => sum + termValue(flops, scale), 0)
}
