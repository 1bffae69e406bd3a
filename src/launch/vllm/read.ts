/** What a command of vLLM says, in the words of a request: the inverse of flags.ts, with the same source. */
import { beginningWith, leftOver } from '../read/left-over.ts'
import { quantisationNamed } from '../read/model-name.ts'
import type { Options } from '../read/options.ts'
import type { LaunchReading, ReadingContext } from '../read/reading.ts'
import { serverCommand } from '../read/server-command.ts'
import { serverDoors } from '../server/immaterial.ts'
import { servingReading } from '../server/read-serving.ts'
import { vllmVersion } from './version.ts'

const short = {
  ...{ '-tp': '--tensor-parallel-size', '-pp': '--pipeline-parallel-size', '-dp': '--data-parallel-size' },
  ...{ '-dcp': '--decode-context-parallel-size', '--dcp-size': '--decode-context-parallel-size' },
  ...{ '-ep': '--enable-expert-parallel', '-q': '--quantization', '-dpl': '--data-parallel-size-local' },
}

/** What it fills of a GPU unless told (docs.vllm.ai/en/stable/api/vllm/config/cache, CacheConfig; 0.9 in releases of 2025). */
const filled = 0.92

export function readVllm(text: string, context: ReadingContext): LaunchReading {
  const { options, model, notes } = serverCommand(text, /(^|\/)vllm$|^vllm\.entrypoints/, short)
  const named = model ?? options.text('--model')
  const size = (name: string) => options.whole(name) ?? 1
  const [tensor, data] = [size('--tensor-parallel-size'), size('--data-parallel-size')]
  const spreads = options.has('--enable-expert-parallel')
  const backend = options.text('--all2all-backend') ?? ''
  const grouped = groupsOnTpus(options)
  // Ranks of data share out the experts of a model that has some; else they are replicas.
  const shares = context.model?.experts ?? spreads
  const groups = grouped ?? (shares ? data : 1)
  const precision = precisionOf(options, named)
  const utilization = options.number('--gpu-memory-utilization') ?? filled
  const sequences = options.whole('--max-num-seqs')
  return servingReading(
    {
      framework: 'vllm',
      version: vllmVersion,
      named,
      tensors: grouped ? tensor : tensor * groups,
      groups,
      pipeline: size('--pipeline-parallel-size'),
      replicas: shares && !grouped ? 1 : data,
      experts: !spreads ? 'sliced' : /^(deepep|mori|pplx|nixl)/.test(backend) ? 'dispatched' : 'spread',
      positions: size('--decode-context-parallel-size') > 1,
      contextLength: lengthOf(options),
      kept: 1,
      sequences,
      precision,
      memoryFraction: utilization,
      notes: [...notes, ...notesOf(options)],
      // What nobody has asked for by now is what is left.
      ...leftOver(options.left(), isImmaterial),
      faults: options.faults,
    },
    context,
  )
}

/** As 32k or 32768; `auto` is what fits. */
function lengthOf(options: Options): number | null {
  const text = options.text('--max-model-len')
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([kKmM]?)$/.exec(text ?? '') ?? []
  if (number === '') return null
  const factors: Readonly<Record<string, number>> = { k: 1000, K: 1024, m: 1e6, M: 2 ** 20 }
  return Math.round(Number(number) * (factors[unit] ?? 1))
}

/** The plugin for TPUs has them in a config of its own. */
function groupsOnTpus(options: Options): number | null {
  const found = /"attn_dp_size"\s*:\s*(\d{1,6})/.exec(options.text('--additional-config') ?? '')
  return found ? Number(found[1]) : null
}

function precisionOf(options: Options, named: string | null): Readonly<Record<string, string>> {
  const quantised = options.text('--quantization')
  const cache = options.text('--kv-cache-dtype') ?? 'auto'
  const dtype = options.text('--dtype') ?? 'auto'
  const wide = dtype === 'float32' || dtype === 'float'
  const said = quantised && quantised in online ? online[quantised] : {}
  return {
    ...(wide ? { weights: 'fp32', compute: 'fp32' } : {}),
    ...quantisationNamed(named ?? ''),
    ...said,
    ...(cache in caches ? { kvCache: caches[cache] ?? 'bf16' } : {}),
  }
}

const online: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fp8: { weights: 'fp8', compute: 'fp8' },
}

const caches: Readonly<Record<string, string>> = {
  bfloat16: 'bf16',
  ...{ fp8: 'fp8', fp8_e4m3: 'fp8', fp8_e5m2: 'fp8' },
  ...{ nvfp4: 'nvfp4', int8_per_token_head: 'int8', int4_per_token_head: 'int4' },
}

function notesOf(options: Options): readonly string[] {
  const context = options.whole('--prefill-context-parallel-size') ?? 1
  return [
    ...(options.has('--speculative-config')
      ? ['--speculative-config is not counted: say it in workload.speculative']
      : []),
    ...(context > 1 ? ['--prefill-context-parallel-size is not counted'] : []),
    ...(options.has('--cpu-offload-gb')
      ? ['--cpu-offload-gb is not counted: all weights are on the chips']
      : []),
  ]
}

/** Doors, logs, formats of answers, hosts, and what carries out what other options say. */
const starts = [
  ...serverDoors,
  '--seed',
  '--code-',
  '--disable-log',
  '--enable-log',
  '--uvicorn',
  '--ssl',
  '--enable-auto-tool',
  '--enable-reasoning',
  '--swap-',
  '--block-size',
  '--enforce-eager',
  '--compilation-',
  '-O',
  '--no-enable',
  '--enable-prefix',
  '--enable-chunked',
  '--max-num-batched',
  '--max-seq-len-to',
  '--distributed-',
  '--nnodes',
  '--node-',
  '--master-',
  '--headless',
  '--data-parallel-',
  '--enable-eplb',
  '--eplb-',
  '--enable-dbo',
  '--dbo-',
  '--kv-transfer',
  '--async-scheduling',
  '--scheduling-',
  '--limit-mm',
  '--mm-',
  '--generation-',
  '--hf-',
  '--max-logprobs',
  '--stream-',
  '--attention-backend',
  '--moe-backend',
  '--linear-backend',
  '--cuda-graph',
  '--guided-',
  '--structured-',
  '--root-path',
]

const isImmaterial = beginningWith(starts)
