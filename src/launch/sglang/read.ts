/** What a command of SGLang says, in the words of a request: the inverse of flags.ts, with the same source. */
import { beginningWith, leftOver } from '../read/left-over.ts'
import { quantisationNamed } from '../read/model-name.ts'
import type { Options } from '../read/options.ts'
import type { LaunchReading, ReadingContext } from '../read/reading.ts'
import { serverCommand } from '../read/server-command.ts'
import { serverDoors } from '../server/immaterial.ts'
import { servingReading } from '../server/read-serving.ts'
import { promptMargin } from './prompt-margin.ts'
import { sglangVersion } from './version.ts'

const short = {
  ...{ '--tp': '--tp-size', '--tensor-parallel-size': '--tp-size', '--pp': '--pp-size' },
  ...{ '--pipeline-parallel-size': '--pp-size', '--dp': '--dp-size', '--data-parallel-size': '--dp-size' },
  ...{ '--ep': '--ep-size', '--expert-parallel-size': '--ep-size', '--model': '--model-path' },
  ...{ '--decode-context-parallel-size': '--dcp-size' },
}

export function readSglang(text: string, context: ReadingContext): LaunchReading {
  const { options, notes } = serverCommand(text, /sglang(\.launch_server)?$/, short)
  const named = options.text('--model-path')
  const size = (name: string) => options.whole(name) ?? 1
  const [tensors, data] = [size('--tp-size'), size('--dp-size')]
  const attends = options.has('--enable-dp-attention')
  const backend = options.text('--moe-a2a-backend') ?? 'none'
  const experts = options.whole('--ep-size') ?? 1
  const sends = !['none', 'flashinfer'].includes(backend)
  const running = options.whole('--max-running-requests')
  const groups = attends ? data : 1
  const role = options.text('--disaggregation-mode')
  const precision = precisionOf(options, named)
  const length = options.whole('--context-length')
  const positions = size('--dcp-size') > 1
  const told = notesOf(options)
  return servingReading(
    {
      framework: 'sglang',
      version: sglangVersion,
      named,
      tensors,
      groups,
      pipeline: size('--pp-size'),
      replicas: attends ? 1 : data,
      experts: sends ? 'dispatched' : experts > 1 ? 'spread' : 'sliced',
      positions,
      contextLength: length,
      kept: promptMargin,
      sequences: running === null ? null : Math.max(1, Math.floor(running / groups)),
      precision,
      notes: [...notes, ...told],
      // What nobody has asked for by now is what is left.
      ...leftOver(options.left(), isImmaterial),
      faults: [
        ...options.faults,
        ...(experts > 1 && !sends && experts !== tensors
          ? [
              `--ep-size ${experts} within --tp-size ${tensors} slices each expert over ${tensors / experts} chips, which is not counted`,
            ]
          : []),
      ],
    },
    role === 'prefill' && context.mode === null ? { ...context, mode: 'prefill' } : context,
  )
}

function precisionOf(options: Options, named: string | null): Readonly<Record<string, string>> {
  const cache = options.text('--kv-cache-dtype') ?? 'auto'
  const wide = options.text('--dtype') === 'float32'
  const quantised = options.text('--quantization')
  return {
    ...(wide ? { weights: 'fp32', compute: 'fp32' } : {}),
    ...quantisationNamed(named ?? ''),
    ...(quantised === 'fp8' ? { weights: 'fp8', compute: 'fp8' } : {}),
    ...(cache in caches ? { kvCache: caches[cache] ?? 'bf16' } : {}),
  }
}

const caches: Readonly<Record<string, string>> = {
  ...{ bf16: 'bf16', bfloat16: 'bf16', fp8_e4m3: 'fp8', fp8_e5m2: 'fp8' },
  ...{ nvfp4: 'nvfp4', fp4_e2m1: 'nvfp4' },
}

function notesOf(options: Options): readonly string[] {
  const drafts = options.has('--speculative-algorithm', '--speculative-algo')
  const fraction = options.has('--mem-fraction-static')
  return [
    ...(drafts ? ['--speculative-algorithm is not counted: say it in workload.speculative'] : []),
    ...(fraction
      ? [
          '--mem-fraction-static is of weights and caches alone: what else is on a chip is counted as it is, within memoryBudget',
        ]
      : []),
  ]
}

/** Doors, logs, kernels that are taken to be there, hosts, and what carries out what other options say. */
const starts = [
  ...serverDoors,
  '--random-seed',
  '--log-',
  '--enable-metrics',
  '--show-',
  '--chunked-prefill',
  '--max-prefill',
  '--disable-',
  '--enable-torch',
  '--cuda-graph',
  '--attention-backend',
  '--prefill-attention',
  '--decode-attention',
  '--moe-runner',
  '--nnodes',
  '--node-',
  '--dist-',
  '--nccl-',
  '--enable-eplb',
  '--eplb-',
  '--ep-num',
  '--ep-dispatch',
  '--deepep-',
  '--moe-dense',
  '--enable-two-batch',
  '--tbo-',
  '--pp-max',
  '--disaggregation-',
  '--schedule-',
  '--watchdog',
  '--stream-',
  '--page-size',
  '--enable-dp-lm-head',
  '--enable-p2p',
  '--enable-flashinfer',
  '--enable-mixed',
  '--grammar-',
  '--sampling-',
  '--mem-fraction',
  '--speculative-',
  '--init-expert',
  '--expert-distribution',
  '--decode-log',
  '--fp8-gemm',
  '--bench',
]

const isImmaterial = beginningWith(starts)
