/** A command of torchtitan's main as settings of its release: those of the named config, overridden by dotted options. Source: as overrides.ts. */
import { compact } from '../../../compact.ts'
import type { Fields } from '../../../fields.ts'
import { scalesBlocks } from '../../../hardware/peak.ts'
import type { LaunchReading, ReadingContext } from '../../read/reading.ts'
import type { Registered } from '../registry.ts'
import { type Given, sectionsGiven } from './dotted.ts'

const sequenceKey = 'parallelism.enable_sequence_parallel'

/** Null where no word says what is recomputed. */
export function checkpointWord(words: readonly string[]): string | null {
  const word = words.findLast((one) => /^activation[-_]checkpoint:/.test(one))
  return word?.slice(word.indexOf(':') + 1).replaceAll('-', '_') ?? null
}

export function sectionsOf(
  base: Registered | undefined,
  given: Given,
  words: readonly string[],
): Readonly<Record<string, Fields>> {
  const sections = sectionsGiven(given, ['module', 'config', ...translated])
  const number = (name: string, otherwise: number) => Number(given.get(name) ?? otherwise)
  const length = number('training.max_context_length', base?.context ?? 2048)
  const tokens = number('training.num_tokens_per_microbatch_per_dp_rank', base?.tokens ?? 16_384)
  const step = number('training.num_tokens_per_train_step', -1)
  const piped = number('parallelism.num_pp_microbatches', 1)
  const pipeline = number('parallelism.pipeline_parallel_degree', 1)
  const [microbatch, batch] = [tokens / length, step < 0 ? -1 : step / length]
  const { fp8, kernels } = base?.spec ?? {}
  return {
    ...sections,
    model: {
      name: base?.module,
      flavor: base?.flavor ?? 'of another config',
      ...(fp8 ? { converters: ['quantize.linear.float8'] } : {}),
    },
    ...(base?.muon ? { optimizer: { ...sections.optimizer, name: 'muon' } } : {}),
    training: {
      ...sections.training,
      seq_len: length,
      local_batch_size: pipeline > 1 ? microbatch * piped : microbatch,
      global_batch_size: batch,
    },
    parallelism: {
      ...(base?.interleaved ? { pipeline_parallel_schedule: 'Interleaved1F1B' } : {}),
      ...(base?.shard ? { data_parallel_shard_degree: base.shard } : {}),
      ...(kernels ? { expert_parallel_comm_backend: 'deepep' } : {}),
      ...sections.parallelism,
      tensor_parallel_degree: degreeOf('tensor', given, base),
      expert_parallel_degree: degreeOf('expert', given, base),
      // Experts are spread over all ranks that shard, of tensor too, and none is cut (distributed/parallel_dims.py).
      expert_tensor_parallel_degree: 1,
      ...(pipeline > 1 ? { pipeline_parallel_microbatch_size: microbatch } : {}),
    },
    activation_checkpoint: {
      ...sections.activation_checkpoint,
      mode: checkpointWord(words) ?? base?.recomputation ?? 'selective',
      selective_ac_option: 'op',
    },
  }
}

function degreeOf(axis: 'expert' | 'tensor', given: Given, base: Registered | undefined): number {
  return Number(given.get(`parallelism.${axis}_parallel_degree`) ?? base?.[axis] ?? 1)
}

/** Options that the release has under other names, or not at all. */
const translated = [
  ...['max_context_length', 'num_tokens_per_microbatch_per_dp_rank', 'num_tokens_per_train_step'].map(
    (key) => `training.${key}`,
  ),
  ...['training.disable_cuda_graphs', 'parallelism.num_pp_microbatches', 'parallelism.spmd_backend'],
  ...[sequenceKey, 'parallelism.enable_fsdp_symm_mem'],
]

type Beside = Pick<LaunchReading, 'costed'> &
  Required<Pick<LaunchReading, 'notes' | 'refusals' | 'uncounted'>>

/** What a command says beside settings of the release. */
export function besideSettings(
  base: Registered | undefined,
  given: Given,
  chip: ReadingContext['chip'],
): Beside {
  const tensor = degreeOf('tensor', given, base)
  const apart = tensor > 1 && /^false$/i.test(String(given.get(sequenceKey)))
  const { fp8, kernels, uncounted } = base?.spec ?? {}
  const peaks = chip?.peakFlopsPerSecond
  const refusals = compact(
    fp8 === 'mxfp8' &&
      peaks &&
      !scalesBlocks({ peakFlopsPerSecond: peaks }) &&
      `${base?.config} multiplies in MXFP8, which torchtitan starts on no ${chip?.name}: it needs SM100, as B200 has (components/quantization/mx.py)`,
    base?.muon &&
      tensor > 1 &&
      `${base.config} is DistMuon's, which torchtitan starts with parallelism.tensor_parallel_degree 1 alone, and it is ${tensor}`,
  )
  return {
    ...(apart ? { costed: { residual: 'whole' } } : {}),
    notes: compact(
      refusals,
      apart &&
        `${sequenceKey} is false: costed as if each tensor rank kept, normed and summed the whole residual stream (assumptions.residual whole)`,
      fp8 === 'mxfp8' && 'MXFP8 is costed as other matmuls in fp8 are',
      kernels === 'hybridep' && 'HybridEP is costed as DeepEP is, which sends a token once to each chip',
      base?.vision && `the vision encoder of ${base.config} is not counted, and images as tokens like others`,
    ),
    refusals,
    uncounted: compact(uncounted !== undefined && `${base?.config} has no plan: ${uncounted}`),
  }
}
