/**
 * What Megatron-LM asserts of numbers: it stops at its start, or at the first step, otherwise. Source: NVIDIA/Megatron-LM d98e8a64dd, by
 * lines of megatron/training/arguments.py (a), megatron/core/transformer/transformer_config.py (c) and
 * megatron/core/transformer/moe/moe_layer.py (m).
 */
import type { Options } from '../../../read/options.ts'

/** A number of each option that rules are about, its default where that is not given; null where there is none. */
export interface Numbers {
  readonly tensor: number
  readonly pipeline: number
  readonly expertRanks: number
  readonly virtualStages: number
  readonly activeExperts: number
  readonly onHost: number
  readonly experts: number | null
  readonly layers: number | null
  readonly width: number | null
  readonly heads: number | null
  readonly positions: number | null
  readonly length: number | null
  readonly groups: number | null
  readonly groupLimit: number | null
}

export function numbersOf(options: Options): Numbers {
  const number = (name: string) => {
    const value = Number(options.given(name)?.[0] ?? Number.NaN)
    return Number.isFinite(value) ? value : null
  }
  return {
    tensor: number('--tensor-model-parallel-size') ?? 1,
    pipeline: number('--pipeline-model-parallel-size') ?? 1,
    expertRanks: number('--expert-model-parallel-size') ?? 1,
    virtualStages: number('--num-virtual-stages-per-pipeline-rank') ?? 1,
    activeExperts: number('--moe-router-topk') ?? 2,
    onHost: number('--cpu-offloading-num-layers') ?? 0,
    // No experts are as none said (a1646).
    experts: number('--num-experts') || null,
    layers: number('--num-layers'),
    width: number('--hidden-size'),
    heads: number('--num-attention-heads'),
    positions: number('--max-position-embeddings'),
    length: number('--seq-length'),
    groups: number('--moe-router-num-groups'),
    groupLimit: number('--moe-router-group-topk'),
  }
}

interface Asserted {
  /** Whether what is missing breaks it, so that nothing is known of options that others add to. */
  readonly lacks?: boolean
  readonly broken: (numbers: Numbers, options: Options) => boolean
  readonly says: (numbers: Numbers) => string
}

export const assertedNumbers: readonly Asserted[] = [
  {
    // a1332
    lacks: true,
    broken: ({ width, heads }, options) =>
      width !== null && heads !== null && width % heads !== 0 && options.given('--kv-channels') === null,
    says: ({ width, heads }) =>
      `--hidden-size ${width} is not divided by --num-attention-heads ${heads}, which it has to be without --kv-channels`,
  },
  {
    // a1354
    broken: ({ positions, length }) => positions !== null && length !== null && positions < length,
    says: ({ positions, length }) =>
      `--max-position-embeddings ${positions} is less than --seq-length ${length}`,
  },
  {
    // a1656
    lacks: true,
    broken: ({ expertRanks, experts, width }) => expertRanks > 1 && experts === null && width !== null,
    says: ({ expertRanks }) => `--expert-model-parallel-size ${expertRanks} needs --num-experts`,
  },
  {
    // a1657
    broken: ({ expertRanks, experts }) => experts !== null && experts % expertRanks !== 0,
    says: ({ expertRanks, experts }) =>
      `--num-experts ${experts} is not divided by --expert-model-parallel-size ${expertRanks}`,
  },
  {
    // a1434 (of one rank --sequence-parallel is taken back), a1442
    lacks: true,
    broken: ({ tensor }, options) =>
      options.given('--tp-comm-overlap') !== null && !inSequence(options, tensor),
    says: () =>
      '--tp-comm-overlap needs --sequence-parallel, and --tensor-model-parallel-size of more than one',
  },
  {
    // m636
    lacks: true,
    broken: ({ tensor, experts }, options) => experts !== null && tensor > 1 && !inSequence(options, tensor),
    says: ({ tensor, experts }) =>
      `--num-experts ${experts} with --tensor-model-parallel-size ${tensor} needs --sequence-parallel`,
  },
  {
    // a1002
    lacks: true,
    broken: ({ pipeline, virtualStages }) => pipeline === 1 && virtualStages > 1,
    says: ({ virtualStages }) =>
      `--num-virtual-stages-per-pipeline-rank ${virtualStages} needs --pipeline-model-parallel-size of more than one`,
  },
  {
    // a1006
    broken: ({ pipeline, virtualStages }, options) =>
      pipeline === 2 && virtualStages > 1 && options.given('--no-overlap-p2p-communication') !== null,
    says: () =>
      'virtual stages with --no-overlap-p2p-communication need --pipeline-model-parallel-size of more than two',
  },
  {
    // c2661
    lacks: true,
    broken: ({ activeExperts, experts }, options) =>
      experts !== null && activeExperts === 1 && !ofOneExpert.some((name) => options.given(name) !== null),
    says: () => '--moe-router-topk 1 needs --moe-router-pre-softmax',
  },
  {
    // c2682
    broken: ({ experts, groups, groupLimit }) =>
      experts !== null && groups !== null && groupLimit !== null && experts % groups !== 0,
    says: ({ experts, groups }) =>
      `--num-experts ${experts} is not divided by --moe-router-num-groups ${groups}`,
  },
  {
    // c2686
    broken: ({ groups, groupLimit }) => groups !== null && groupLimit !== null && groupLimit > groups,
    says: ({ groups, groupLimit }) =>
      `--moe-router-group-topk ${groupLimit} is more than --moe-router-num-groups ${groups}`,
  },
  {
    // c1884
    broken: ({ onHost, layers }) => layers !== null && onHost >= layers,
    says: ({ onHost, layers }) =>
      `--cpu-offloading-num-layers ${onHost} has to be less than --num-layers ${layers}`,
  },
  {
    // c1891
    broken: ({ onHost, pipeline }) => onHost > 0 && pipeline > 1,
    says: ({ onHost, pipeline }) =>
      `--cpu-offloading-num-layers ${onHost} goes with no pipeline: --pipeline-model-parallel-size is ${pipeline}`,
  },
  {
    // c3013
    lacks: true,
    broken: ({ expertRanks }, options) =>
      options.given('--overlap-moe-expert-parallel-comm') !== null && expertRanks === 1,
    says: () => '--overlap-moe-expert-parallel-comm needs --expert-model-parallel-size of more than one',
  },
]

/** What else keeps the weight of a single expert from being 1: another score, or another balance. */
const ofOneExpert = [
  '--moe-router-pre-softmax',
  '--moe-router-score-function',
  '--moe-router-load-balancing-type',
]

function inSequence(options: Options, tensor: number): boolean {
  return tensor > 1 && options.given('--sequence-parallel') !== null
}
