/**
 * Reads TensorRT-LLM's settings into the words of a request: options of `trtllm-serve`, those in its file, or both; the
 * file takes precedence. The inverse of options.ts, with the same source.
 */

import { compact } from '../../compact.ts'
import { type Fields, isFields } from '../../fields.ts'
import { typesNamed } from '../../precision/named.ts'
import { misnamedAmong, onlyValue } from '../read/closed-values.ts'
import { type Keys, keysOf, partOf, textOf } from '../read/fields.ts'
import { beginningWith, leftOver } from '../read/left-over.ts'
import type { LaunchReading, ReadingContext } from '../read/reading.ts'
import { serverCommand } from '../read/server-command.ts'
import { serverPrograms } from '../read/server-programs.ts'
import { everywhere } from '../server/attention-groups.ts'
import { ranksOnHost } from '../server/beyond-host.ts'
import { expertGroups } from '../server/expert-groups.ts'
import { servingReading } from '../server/read-serving.ts'
import { withDrafts } from '../server/uncounted.ts'
import { refusedBackend, tensorrtValues } from './expert-backends.ts'
import { releaseNote } from './release.ts'
import { tensorrtVersion } from './version.ts'

/** Options of the command, with their names in the file. */
export const tensorrtKeys: Readonly<Record<string, string>> = {
  '--tp-size': 'tensor_parallel_size',
  '--pp-size': 'pipeline_parallel_size',
  '--ep-size': 'moe_expert_parallel_size',
  '--cp-size': 'context_parallel_size',
  '--max-batch-size': 'max_batch_size',
  '--max-num-tokens': 'max_num_tokens',
  '--max-seq-len': 'max_seq_len',
}

const short = { '--tensor-parallel-size': '--tp-size', '--pipeline-parallel-size': '--pp-size' }

const program = serverPrograms.tensorrtLlm

/** Name of the file from which the command for a phase reads its options; null if it reads none. */
export function configNamed(command: string, mode: string | null): string | null {
  return serverCommand(command, program, short, mode).options.text(...fileOptions)
}

const fileOptions = ['--config', '--extra-llm-api-options', '--extra-engine-args']

/** Defaults of trtllm-serve. Source: as options.ts, BuildConfig of tensorrt_llm/builder.py. */
const usual = { max_batch_size: 2048, max_num_tokens: 8192 }

const unsaidTokens = `max_num_tokens is not said: ${usual.max_num_tokens} tokens in a step, as it is by default`

/** Reads the file alone if there is no command; `sent` is null if the file was not sent. */
export function readTensorrt(
  command: string | null,
  sent: Fields | null,
  context: ReadingContext,
): LaunchReading {
  const said = command === null ? null : serverCommand(command, program, short, context.mode)
  const name = said?.options.text(...fileOptions) ?? null
  const unsent = sent === null ? name : null
  const file = inFile(sent ?? {})
  const given = Object.entries(tensorrtKeys).flatMap(([option, key]) => {
    const value = said?.options.whole(option)
    return value === undefined || value === null ? [] : [[key, value] as const]
  })
  const free = said?.options.number('--kv-cache-free-gpu-memory-fraction', '--free-gpu-memory-fraction')
  const cache = said?.options.text('--kv-cache-dtype')
  const keys = keysOf({
    ...Object.fromEntries(given),
    ...(said?.options.isOn('--enable-attention-dp') ? { enable_attention_dp: true } : {}),
    ...(cache ? { kv_cache_config: { dtype: cache } } : {}),
    ...file,
  })
  const caches = partOf(keys, 'kv_cache_config')
  const ofFree = ['kv_cache_free_gpu_memory_fraction', 'free_gpu_memory_fraction']
    .map((key) => keys.value(key))
    .reduce((found, own) => found ?? own, caches.value('free_gpu_memory_fraction') ?? free)
  const tensors = keys.count('tensor_parallel_size') ?? 1
  const experts = keys.count('moe_expert_parallel_size') ?? 1
  const stages = keys.count('pipeline_parallel_size') ?? 1
  const slices = keys.number('moe_tensor_parallel_size', -1)
  const tokens = keys.count('max_num_tokens')
  const length = keys.count('max_seq_len')
  const batch = keys.count('max_batch_size')
  const parts = keys.count('context_parallel_size') ?? 1
  const attends = keys.value('enable_attention_dp') === true
  const ofFile = keys.value('model')
  const model =
    said?.model ?? said?.options.text('--model-path') ?? (typeof ofFile === 'string' ? ofFile : null)
  const drafts = keys.value('speculative_config')
  const cacheTypes = cacheOf(caches)
  const room = roomNote(caches)
  const backend = backendIn(file)
  const older = releaseNote(command)
  const refused = refusedBackend(backend, context)
  const grouped = expertGroups('moe_expert_parallel_size', experts, tensors)
  const sections = [...inSection('kv_cache_config', caches.left()), ...inSections(file)]
  const left = [...(said?.options.left() ?? []), ...keys.left(), ...sections]
  return servingReading(
    {
      framework: 'tensorrt-llm',
      version: tensorrtVersion,
      named: model,
      assumptions: {},
      cacheShare: typeof ofFree === 'number' ? { ofFree } : null,
      ranks: tensors,
      groups: attends ? tensors : 1,
      pipeline: stages,
      replicas: 1,
      // With attention by sequences, tokens are sent between groups to their experts; otherwise all chips have all
      // tokens.
      experts: experts > 1 ? (attends ? 'dispatched' : 'spread') : 'sliced',
      positions: false,
      besideGroups: everywhere('each'),
      contextLength: length,
      kept: 1,
      // Most sequences of an iteration, one group of a pipeline, of which as many are resident as there are stages; with
      // attention by sequences, for each chip.
      sequences: batch === null ? null : batch * stages,
      usualSequences: { option: 'max_batch_size', count: usual.max_batch_size * stages },
      stepTokens: context.mode === 'serve' ? (tokens ?? usual.max_num_tokens) : tokens,
      chunk: { tokens: tokens ?? usual.max_num_tokens, unsaid: tokens === null ? unsaidTokens : null },
      servingNotes: compact(
        tokens === null && unsaidTokens,
        !(file.enable_chunked_prefill === true || said?.options.isOn('--enable-chunked-prefill')) &&
          'without enable_chunked_prefill prompts of more than max_num_tokens are refused; they are counted as read in parts',
      ),
      onHost:
        said?.starts && !/\bsrun\b/.test(command ?? '')
          ? ranksOnHost(command ?? '', said.options, tensors * stages, severalHosts)
          : null,
      onePhase: said?.onePhase ?? null,
      unread: said?.unread ?? [],
      refusals: compact(refused),
      // Releases before had others.
      misnamed: older === null ? misnamedAmong(tensorrtValues, () => onlyValue(backend)) : [],
      precision: { ...typesNamed(model ?? ''), ...cacheTypes },
      notes: compact(
        said?.notes ?? [],
        older,
        refused,
        Boolean(drafts) && withDrafts('speculative_config', context.mode),
        room,
      ),
      ...leftOver(
        left,
        isImmaterial,
        [...(said?.options.known() ?? []), ...keys.known(), ...closedSections],
        said?.options.undashed(),
      ),
      refuses: true,
      uncounted: compact(grouped.uncounted),
      faults: compact(
        said?.faults ?? [],
        said?.options.faults ?? [],
        keys.faults,
        unsent !== null && unsentFile(unsent),
        parts > 1 && 'context parallelism is not counted',
        expertShapeFault({
          slices,
          experts,
          clusters: keys.number('moe_cluster_parallel_size', 1),
          ranks: tensors * parts,
        }),
        grouped.fault,
      ),
    },
    context,
  )
}

/** Options of the command that stand in a file, by the names that its keys have. */
function inFile(file: Fields): Fields {
  return Object.fromEntries(
    Object.entries(file).map(([key, value]) => [tensorrtKeys[`--${key.replaceAll('_', '-')}`] ?? key, value]),
  )
}

/** The backend of experts; null where none is said, or a shell would fill it in. */
function backendIn({ moe_config: section }: Fields): string | null {
  const backend = isFields(section) ? section.backend : undefined
  return backend === undefined || backend === null || /\$|\{\{/.test(textOf(backend)) ? null : textOf(backend)
}

/** Keys of sections that have none but their own, which the list of the version is asked about. */
function inSections(file: Fields): readonly string[] {
  return closedSections.flatMap((section) => {
    const own = file[section]
    return inSection(section, isFields(own) ? Object.keys(own) : [])
  })
}

function inSection(section: string, keys: readonly string[]): readonly string[] {
  return keys.map((key) => `${section}.${key}`)
}

const closedSections = [
  ...['moe_config', 'cuda_graph_config', 'attention_dp_config'],
  ...['scheduler_config', 'cache_transceiver_config'],
]

interface ExpertShape {
  /** Chips that share out each expert; -1 where what is left over does. */
  readonly slices: number
  readonly experts: number
  readonly clusters: number
  /** Chips of a stage. */
  readonly ranks: number
}

/** Source: NVIDIA/TensorRT-LLM cf44a1c, tensorrt_llm/mapping.py ("moe_tp_size * moe_ep_size * moe_cluster_size must equal to moe_world_size"). */
function expertShapeFault({ slices, experts, clusters, ranks }: ExpertShape): string | null {
  const each = Math.max(1, clusters)
  if (slices <= 0 || experts <= 1 || slices * experts * each === ranks) return null
  return `moe_tensor_parallel_size ${slices} times moe_expert_parallel_size ${experts}${each > 1 ? ` times moe_cluster_parallel_size ${each}` : ''} has to be tensor_parallel_size, ${ranks}`
}

/** MpiPoolSession of one process spawns its ranks where it runs (NVIDIA/TensorRT-LLM 029e223, llmapi/mpi_session.py). */
const severalHosts = 'trtllm-llmapi-launch behind srun or mpirun starts the ranks of several hosts'

function unsentFile(name: string): string {
  return `its options are in ${name.slice(0, 100)}, which is not here: send both, {"tensorrtLlm": {"command": "trtllm-serve …", "config": what is in the file}}, or write the file in the same text (cat > ${name.slice(0, 100)} <<'EOF' … EOF)`
}

/** Source: KvCacheConfig of tensorrt_llm/llmapi/llm_args.py. */
function roomNote(caches: Keys): string | null {
  const most = caches.value('max_tokens')
  if (most === undefined) return null
  return `max_tokens ${textOf(most)}, the most tokens that caches hold, is not counted: they are as large as memory leaves them`
}

function cacheOf(caches: Keys): Readonly<Record<string, string>> {
  const type = caches.text('dtype', 'auto')
  return type === 'fp8' || type === 'nvfp4' ? { kvCache: type } : {}
}

/** A section is immaterial by its whole name alone, so that one that is misspelt is told. */
function isImmaterial(name: string): boolean {
  return (
    closedSections.some((section) => name === section || name.startsWith(`${section}.`)) || isBeside(name)
  )
}

const isBeside = beginningWith(`
  --host --port --tokenizer --backend --log-level --trust --config --extra-llm --max-beam --gpus-per
  --num-postprocess --reasoning --tool --chat --enable-chunked --kv-cache-free --custom- --otlp- --fail-fast
  --disagg- --disaggregation- --served- --publish- --server-role --metadata kv_cache_config. print_iter_log enable_chunked_prefill stream_interval
  disable_overlap trust_ enable_iter num_postprocess backend batching_wait return_perf gpus_per_node attn_backend moe_tensor_parallel
  allreduce_strategy torch_compile use_cuda_graph
`)
