/**
 * What Megatron-LM asserts of numbers: it stops at its start, or at the first step, otherwise. Source: NVIDIA/Megatron-LM d98e8a64dd, by
 * lines of megatron/training/arguments.py (a), megatron/core/transformer/transformer_config.py (c) and
 * megatron/core/transformer/moe/moe_layer.py (m).
 */
import type { Options } from '../../../read/options.ts'
import type { MegatronSaid } from '../../settings.ts'
import { torchSharded } from './pairs.ts'

interface Asserted {
  /** Whether what is missing breaks it, so that nothing is known of options that others add to. */
  readonly lacks?: boolean
  /** Also by the options as they are written, before other names of them are replaced. */
  readonly broken: (said: MegatronSaid, options: Options, isWritten: (option: string) => boolean) => boolean
  readonly says: (said: MegatronSaid) => string
}

export const assertedNumbers: readonly Asserted[] = [
  {
    // a1332
    lacks: true,
    broken: ({ dModel, heads, headDim }) =>
      dModel !== null && heads !== null && dModel % heads !== 0 && headDim === null,
    says: ({ dModel, heads }) =>
      `--hidden-size ${dModel} is not divided by --num-attention-heads ${heads}, which it has to be without --kv-channels`,
  },
  {
    // a1354
    broken: ({ positions, sequenceLength: length }) =>
      positions !== null && length !== null && positions < length,
    says: ({ positions, sequenceLength: length }) =>
      `--max-position-embeddings ${positions} is less than --seq-length ${length}`,
  },
  {
    // a1656
    lacks: true,
    broken: ({ dispatch, experts, dModel }) =>
      dispatch.expertRanks > 1 && experts.count === null && dModel !== null,
    says: ({ dispatch }) => `--expert-model-parallel-size ${dispatch.expertRanks} needs --num-experts`,
  },
  {
    // a1657
    broken: ({ dispatch, experts: { count } }) => count !== null && count % dispatch.expertRanks !== 0,
    says: ({ dispatch, experts: { count } }) =>
      `--num-experts ${count} is not divided by --expert-model-parallel-size ${dispatch.expertRanks}`,
  },
  {
    // a1434 (of one rank --sequence-parallel is taken back), a1442
    lacks: true,
    broken: (said) => said.overlapsTensor && !inSequence(said),
    says: () =>
      '--tp-comm-overlap needs --sequence-parallel, and --tensor-model-parallel-size of more than one',
  },
  {
    // m636
    lacks: true,
    broken: (said) => said.experts.count !== null && said.tensor > 1 && !inSequence(said),
    says: ({ tensor, experts }) =>
      `--num-experts ${experts.count} with --tensor-model-parallel-size ${tensor} needs --sequence-parallel`,
  },
  {
    // a1002
    lacks: true,
    broken: (said) => said.pipeline === 1 && isInterleaved(said),
    says: ({ cuts: { virtualStages, perChunk } }) =>
      `${virtualStages === null ? `--num-layers-per-virtual-pipeline-stage ${perChunk}` : `--num-virtual-stages-per-pipeline-rank ${virtualStages}`} needs --pipeline-model-parallel-size of more than one`,
  },
  {
    // a1006
    broken: (said, options) =>
      said.pipeline === 2 && isInterleaved(said) && options.given('--no-overlap-p2p-communication') !== null,
    says: () =>
      'virtual stages with --no-overlap-p2p-communication need --pipeline-model-parallel-size of more than two',
  },
  {
    // a1034, a1036
    broken: ({ pipeline, dispatch }, _, isWritten) =>
      isWritten(torchSharded) && Math.max(pipeline ?? 1, dispatch.expertRanks) > 1,
    says: () =>
      `${torchSharded} goes with no pipeline and no expert parallelism: --pipeline-model-parallel-size and --expert-model-parallel-size have to be 1`,
  },
  {
    // c2661
    lacks: true,
    broken: ({ experts: { count, activeExperts } }, options) =>
      count !== null && activeExperts === 1 && !ofOneExpert.some((name) => options.given(name) !== null),
    says: () => '--moe-router-topk 1 needs --moe-router-pre-softmax',
  },
  {
    // c2682
    broken: ({ experts: { count, groups, groupLimit } }) =>
      count !== null && groups !== null && groupLimit !== null && count % groups !== 0,
    says: ({ experts: { count, groups } }) =>
      `--num-experts ${count} is not divided by --moe-router-num-groups ${groups}`,
  },
  {
    // c2686
    broken: ({ experts: { groups, groupLimit } }) =>
      groups !== null && groupLimit !== null && groupLimit > groups,
    says: ({ experts: { groups, groupLimit } }) =>
      `--moe-router-group-topk ${groupLimit} is more than --moe-router-num-groups ${groups}`,
  },
  {
    // c1884
    broken: ({ host, layers }) => layers !== null && host.layers >= layers,
    says: ({ host, layers }) =>
      `--cpu-offloading-num-layers ${host.layers} has to be less than --num-layers ${layers}`,
  },
  {
    // c1891
    broken: ({ host, pipeline }) => host.layers > 0 && pipeline > 1,
    says: ({ host, pipeline }) =>
      `--cpu-offloading-num-layers ${host.layers} goes with no pipeline: --pipeline-model-parallel-size is ${pipeline}`,
  },
  {
    // NVIDIA/TransformerEngine d0067d0da, pytorch/attention/dot_product_attention/context_parallel.py, line 5065
    lacks: true,
    broken: ({ context }, options) =>
      context > 1 &&
      (options.given('--softmax-type')?.some((type) => type !== 'vanilla') ?? false) &&
      !(options.given('--cp-comm-type') ?? ['p2p']).every((exchange) => exchange === 'a2a'),
    says: ({ context }) =>
      `--softmax-type learnable with --context-parallel-size ${context} needs --cp-comm-type a2a`,
  },
  {
    // c3013
    lacks: true,
    broken: ({ recipe, dispatch }) => recipe.beside && dispatch.expertRanks === 1,
    says: () => '--overlap-moe-expert-parallel-comm needs --expert-model-parallel-size of more than one',
  },
]

/** What else keeps the weight of a single expert from being 1: another score, or another balance. */
const ofOneExpert = [
  '--moe-router-pre-softmax',
  '--moe-router-score-function',
  '--moe-router-load-balancing-type',
]

function inSequence({ tensor, inSequence: isAsked }: MegatronSaid): boolean {
  return tensor > 1 && isAsked
}

function isInterleaved({ cuts: { virtualStages, perChunk }, layers, pipeline }: MegatronSaid): boolean {
  const chunks =
    virtualStages ?? (perChunk === null || layers === null ? 1 : layers / (pipeline ?? 1) / perChunk)
  return chunks > 1
}
