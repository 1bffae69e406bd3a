/** What a command of vLLM says, in the words of a request: by the rows of settings.ts. */
import { typesNamed } from '../../precision/named.ts'
import { beginningWith, leftOver } from '../read/left-over.ts'
import type { Options } from '../read/options.ts'
import type { LaunchReading, ReadingContext } from '../read/reading.ts'
import { serverCommand } from '../read/server-command.ts'
import { serverDoors } from '../server/immaterial.ts'
import { quantized, vllmQuantizations } from '../server/quantization.ts'
import { precisionRead, typesOf } from '../server/read-precision.ts'
import { servingReading } from '../server/read-serving.ts'
import { said, spellings, unread } from '../settings/settings.ts'
import { gpuFormats } from './rules.ts'
import { vllmSettings } from './settings.ts'
import { defaultStepTokens } from './step-tokens.ts'
import { vllmVersion } from './version.ts'

const short = { ...spellings(vllmSettings), '-dpl': '--data-parallel-size-local' }

const program = {
  name: 'vLLM',
  starts: /^(\/.*\/)?vllm$|^vllm\.entrypoints/,
  // Its entry point is the server (docs/deployment/docker.md).
  image: /^(docker\.io\/)?vllm\/vllm-[\w-]+([:@]|$)/,
  usual: 'vllm serve MODEL …, docker run … vllm/vllm-openai:TAG --model MODEL …, or options alone',
}

/** What it fills of a GPU unless told (docs.vllm.ai/en/stable/api/vllm/config/cache, CacheConfig; 0.9 in releases of 2025). */
const filled = 0.92

export function readVllm(text: string, context: ReadingContext): LaunchReading {
  const { options, model, notes, faults } = serverCommand(text, program, short)
  const named = model ?? options.text('--model')
  const { tensor, data, spreads, dispatch, pipeline, positions, sequences, ...rest } = said(
    vllmSettings,
    options,
  )
  const quantised = quantized(rest.quantization, typesNamed(named ?? ''), vllmQuantizations)
  const grouped = groupsOnTpus(rest.additional)
  // Ranks of data share out the experts of a model that has some; else they are replicas.
  const shares = context.model?.experts ?? spreads
  const groups = grouped ?? (shares ? data : 1)
  const told = options.whole('--max-num-batched-tokens')
  const usual = context.chip ? defaultStepTokens(context.chip) : null
  const most = told ?? usual
  // Of one phase they say no more than that it starts.
  const unheld = told !== null && context.mode !== 'serve' ? [`--max-num-batched-tokens ${told}`] : []
  const stepTokens = context.mode === 'serve' ? most : null
  return servingReading(
    {
      framework: 'vllm',
      version: vllmVersion,
      named,
      tensors: grouped ? tensor : tensor * groups,
      groups,
      pipeline,
      replicas: shares && !grouped ? 1 : data,
      experts: !spreads
        ? 'sliced'
        : /^(deepep|mori|pplx|nixl|flashinfer)/.test(dispatch ?? '')
          ? 'dispatched'
          : 'spread',
      positions: positions > 1,
      contextLength: lengthOf(rest.length),
      kept: 1,
      sequences,
      stepTokens,
      servingNotes: [
        ...(told === null ? [unsaidTokens(usual)] : []),
        ...(options.has('--kv-transfer-config')
          ? ['--kv-transfer-config is not counted: the server does both phases itself']
          : []),
      ],
      onePhase: null,
      precision: precisionRead(rest, quantised.types, types),
      misnamed: quantised.misnamed,
      memoryFraction: rest.utilization ?? filled,
      notes: [...notes, ...notesOf(options), ...quantised.notes],
      // What nobody has asked for by now is what is left.
      ...leftOver([...options.left(), ...unheld], isImmaterial, options.known()),
      faults: [...faults, ...options.faults, ...fewTokens(sequences, told, most)],
    },
    context,
  )
}

function unsaidTokens(usual: number | null): string {
  return usual === null
    ? '--max-num-batched-tokens is not said: as many tokens in a step as the request allows, where vLLM takes 8192 on chips of 70 GiB and more (A100 apart) and 2048 on others'
    : `--max-num-batched-tokens is not said: ${usual} tokens in a step, as vLLM takes on such chips`
}

/** A step has a token for each sequence that may run (SchedulerConfig.verify_max_model_len, vllm/config/scheduler.py). */
function fewTokens(sequences: number | null, told: number | null, most: number | null): readonly string[] {
  if (sequences === null || most === null || most >= sequences) return []
  const what = told === null ? `, which is ${most} on such chips unless told,` : ` ${most}`
  return [
    `vLLM does not start with --max-num-batched-tokens${what} below --max-num-seqs ${sequences}: the nearest are --max-num-batched-tokens ${sequences} and --max-num-seqs ${most}`,
  ]
}

/** As 32k or 32768; `auto` is what fits. */
function lengthOf(text: string | null): number | null {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([kKmM]?)$/.exec(text ?? '') ?? []
  if (number === '') return null
  const factors: Readonly<Record<string, number>> = { k: 1000, K: 1024, m: 1e6, M: 2 ** 20 }
  return Math.round(Number(number) * (factors[unit] ?? 1))
}

/** The plugin for TPUs has them in a config of its own. */
function groupsOnTpus(additional: string | null): number | null {
  const found = /"attn_dp_size"\s*:\s*(\d{1,6})/.exec(additional ?? '')
  return found ? Number(found[1]) : null
}

const types = typesOf(gpuFormats, ['fp8_e4m3', 'fp8'], ['fp8_e5m2', 'fp8'])

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
  ...unread(vllmSettings),
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
  '--max-seq-len-to',
  '--distributed-',
  '--nnodes',
  '--node-',
  '--master-',
  '--headless',
  '--data-parallel-',
  '--eplb-',
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
