/** Reads a command of SGLang into the words of a request, by the rows of settings.ts. */
import { compact } from '../../compact.ts'
import type { CacheShare } from '../../plan-sketch.ts'
import { misnamedAmong, onlyValue } from '../read/closed-values.ts'
import { beginningWith, leftOver } from '../read/left-over.ts'
import type { Options } from '../read/options.ts'
import type { LaunchReading, ReadingContext } from '../read/reading.ts'
import { serverCommand, unsentOptions } from '../read/server-command.ts'
import { serverPrograms } from '../read/server-programs.ts'
import { readScript } from '../read/shell/script.ts'
import { everywhere } from '../server/attention-groups.ts'
import { ranksOnHost } from '../server/beyond-host.ts'
import { expertGroups } from '../server/expert-groups.ts'
import { serverDoors } from '../server/immaterial.ts'
import { brokenJson } from '../server/json-values.ts'
import { longerOf, longerVariables } from '../server/longer.ts'
import { quantized, sglangQuantizations } from '../server/quantization.ts'
import { precisionRead, typesOf, uncountedCaches } from '../server/read-precision.ts'
import { servingReading } from '../server/read-serving.ts'
import { copiesSaid } from '../server/redundant-copies.ts'
import { residentBytes } from '../server/resident.ts'
import { shareFault } from '../server/share-fault.ts'
import { stateTypeNote } from '../server/state-types.ts'
import { withDrafts, withOverrides, withoutGraphs } from '../server/uncounted.ts'
import { said, spellings, unread } from '../settings/settings.ts'
import { nodesRefused } from './nodes.ts'
import { pagesRefused } from './pages.ts'
import { deepEpRefused } from './sent-by.ts'
import { promptMargin, sglangFormats, sglangSettings } from './settings.ts'
import { statesRead } from './states.ts'
import { defaultChunk } from './step-tokens.ts'
import { usualShare } from './usual-share.ts'
import { sglangValues } from './values.ts'
import { sglangVersion } from './version.ts'

const short = { ...spellings(sglangSettings), '--model': '--model-path' }

const program = serverPrograms.sglang

export function readSglang(text: string, context: ReadingContext): LaunchReading {
  const { options, starts, variables, notes, unread, onePhase, faults } = serverCommand(
    text,
    program,
    short,
    context.mode,
  )
  const named = options.text('--model-path')
  const { tensors, data, attends, dispatch, experts, running, ...rest } = said(sglangSettings, options)
  const sends = !['none', 'flashinfer'].includes(dispatch ?? 'none')
  const quantised = quantized(rest.quantization, named, sglangQuantizations, context.model?.storedBy)
  const groups = attends ? data : 1
  const grouped = sends ? {} : expertGroups('--ep-size', experts, tensors)
  const ofOptions = notesOf(options, context.mode)
  const type = '--mamba-ssm-dtype'
  const stateNote = stateTypeNote(type, () => options.text(type), null, context)
  const states = statesRead(options, groups, running, context)
  const limits = compact(running !== null && Math.max(1, Math.floor(running / groups)), states.sequences)
  const ofMemory = options.number(share)
  const unsaid =
    ofMemory === null
      ? usualShare(
          {
            ...{ tensors, pipeline: rest.pipeline, groups, running, role: rest.role },
            chunk: chunkOf(options, context),
            byDeepEp: dispatch === 'deepep',
          },
          options,
          context,
        )
      : null
  const both = context.mode === 'serve'
  // A value of -1 means whole prompts.
  const written = context.mode === 'generate' ? null : options.text('--chunked-prefill-size')
  const usual = written === null && context.chip ? defaultChunk(context.chip.hbmBytes) : null
  const unsaidChunk =
    usual === null
      ? null
      : `--chunked-prefill-size is not said: ${usual} tokens in a step, as SGLang takes on such chips`
  const told = written !== null && /^\d+$/.test(written) ? Number(written) : null
  const step = told ?? (both ? usual : null)
  const chunk = told ?? usual
  const refused = compact(
    nodesRefused(options, { tensors, pipeline: rest.pipeline, data, attends }),
    step !== null && pagesRefused(step, groups, options, context),
    deepEpRefused(options, { dispatch, ranks: tensors, role: rest.role }, context),
    readScript(text)
      .commands.flat()
      .some((word) => /^--pp([=\s]|$)/.test(word)) &&
      '--pp is the beginning of --pp-size and of --pp-max-micro-batch-size, so that argparse calls it ambiguous: it does not start',
  )
  const mixes = both && options.isOn('--enable-mixed-chunk')
  return servingReading(
    {
      framework: 'sglang',
      version: sglangVersion,
      named,
      // Without --enable-eplb they are kept as well, where experts are spread.
      assumptions: copiesSaid(rest.copiesOf, { balances: true, spreads: sends || experts > 1 }),
      cacheShare: sharedBy(shareFault(share, ofMemory) ? null : (ofMemory ?? unsaid), tensors),
      written: {
        '/plan/cacheShare': `${share} {}`,
        '/plan/contextLength': '--context-length {}',
        '/plan/generate/layout/experts': `--ep-size ${tensors}`,
      },
      ranks: tensors,
      groups,
      pipeline: rest.pipeline,
      replicas: attends ? 1 : data,
      experts: sends ? 'dispatched' : experts > 1 ? 'spread' : 'sliced',
      positions: rest.positions > 1,
      besideGroups: {
        ...everywhere(rest.dense === 1 ? 'each' : 'all'),
        unembedding: rest.head ? 'own' : 'all',
      },
      contextLength: rest.length,
      kept: promptMargin,
      sequences: limits.length > 0 ? Math.min(...limits) : null,
      // Half of the tokens that caches have room for (managers/scheduler.py): memory is short before.
      usualSequences: null,
      stepTokens: step === null ? promptTokens(options, context) : Math.max(1, Math.floor(step / groups)),
      chunk: chunk === null ? null : { tokens: Math.max(1, Math.floor(chunk / groups)), unsaid: unsaidChunk },
      servingNotes: compact(
        unsaidChunk,
        !mixes &&
          'without --enable-mixed-chunk prompts are read between steps; they are counted as read beside them',
      ),
      onePhase,
      unread,
      refusals: [...quantised.refusals, ...refused, ...brokenJson(options, 'SGLang'), ...removedIn(options)],
      precision: precisionRead(rest, quantised, types),
      misnamed: misnamedAmong(sglangValues, (option) => onlyValue(options.text(option))),
      notes: [
        ...notes,
        ...refused,
        ...ofOptions,
        ...compact(unsaid !== null && `${share} is not said: ${unsaid}, as SGLang takes on such chips`),
        ...states.notes,
        ...compact(stateNote, quantised.notes, uncountedCaches(rest, types)),
      ],
      longer: longerOf(longerVariables.sglang, variables, options.has('--json-model-override-args')),
      onHost: starts
        ? ranksOnHost(text, options, tensors * rest.pipeline * (attends ? 1 : data), severalHosts)
        : null,
      // Must come last: what nobody has asked for by now is left over.
      ...leftOver(
        options.left(),
        isImmaterial,
        [...options.known(), ...Object.keys(short)],
        options.undashed(),
      ),
      uncounted: compact(cappedCaches(options), grouped.uncounted),
      faults: compact(
        faults,
        options.faults,
        unsentOptions(options),
        states.faults,
        shareFault(share, ofMemory),
        grouped.fault,
      ),
    },
    rest.role === 'prefill' && context.mode === null ? { ...context, mode: 'prefill' } : context,
  )
}

/** Options of releases of 2025, with what has taken their place. */
const removed: Readonly<Record<string, string>> = {
  '--enable-ep-moe': '--ep-size',
  '--enable-deepep-moe': '--moe-a2a-backend deepep with --ep-size',
}

function removedIn(options: Options): readonly string[] {
  return Object.entries(removed).flatMap(([name, now]) =>
    options.given(name) === null
      ? []
      : [`SGLang ${sglangVersion} does not start: ${name} is no option any more, where ${now} says it`],
  )
}

/** A cap on the tokens of all caches (--max-total-tokens), which no share of memory says. */
function cappedCaches(options: Options): readonly string[] {
  const [cap, most] = ['--max-total-tokens', options.text('--max-total-tokens')]
  return compact(
    most !== null &&
      `${cap} ${most.slice(0, 100)} is not counted, so that it is not known what its caches have room for: ${share} says it as a share of memory, --max-running-requests in requests`,
  )
}

/** A share is of what is free once NCCL is up. */
function sharedBy(ofMemory: number | null, ranks: number): CacheShare | null {
  return ofMemory === null ? null : { ofMemory, keptBytes: residentBytes(ranks) }
}

/** Tokens of a chunk over all groups of attention; null where prompts are read whole, or the chip is not known. */
function chunkOf(options: Options, { chip }: ReadingContext): number | null {
  const chunk = options.text('--chunked-prefill-size')
  if (chunk === null) return chip ? defaultChunk(chip.hbmBytes) : null
  return /^\d+$/.test(chunk) ? Number(chunk) : null
}

/** Tokens of whole prompts that are read at once, of each group. */
function promptTokens(options: Options, { mode }: ReadingContext): number | null {
  return mode === 'prefill' ? options.number('--max-prefill-tokens') : null
}

const share = '--mem-fraction-static'
const severalHosts = '--nnodes, --node-rank and --dist-init-addr say that it runs on several hosts'

const types = typesOf(
  sglangFormats,
  ['bfloat16', 'bf16'],
  ['fp8_e5m2', 'fp8'],
  ['fp4_e2m1', 'nvfp4'],
  ['fp4_mx_block16', 'nvfp4'],
)

function notesOf(options: Options, mode: string | null): readonly string[] {
  const drafts = options.has('--speculative-algorithm', '--speculative-algo')
  const steps = options.text('--num-continuous-decode-steps')
  return compact(
    drafts && withDrafts('--speculative-algorithm', mode),
    steps && `--num-continuous-decode-steps ${steps}: counted as if each step was scheduled alone`,
    options.isOn('--disable-cuda-graph') && withoutGraphs('--disable-cuda-graph'),
    options.has('--json-model-override-args') && withOverrides('--json-model-override-args'),
  )
}

/** Prefixes of immaterial options: addresses, logs, kernels that plans assume anyway, hosts, and what only carries out other options. */
const isImmaterial = beginningWith(
  `
  --random-seed --log- --enable-metrics --show- --disable- --enable-torch --cuda-graph --attention-backend
  --prefill-attention --decode-attention --moe-runner --nnodes --node- --dist- --nccl- --eplb- --ep-dispatch
  --deepep- --tbo- --disaggregation- --schedule- --watchdog --stream- --page-size
  --enable-p2p --enable-flashinfer --enable-mixed --grammar- --sampling- --speculative- --init-expert
  --expert-distribution --decode-log --fp8-gemm --fp4-gemm --bf16-gemm --bench --nsa-prefill- --nsa-decode- --dsa-prefill-
  --dsa-decode- --dsa-topk- --mamba-backend --mamba-scheduler- --mm-attention- --scheduler-recv- --model-loader- --weight-loader-
  --enable-symm-mem --enable-prefill-delayer --enable-dp-attention-local- --enable-cache-report --incremental-streaming-
  --enable-aiter-allreduce- --skip-server-warmup --skip-tokenizer-init --prefill-round-robin-
  --torch-compile- --swa-full-tokens- --base-gpu-id
`,
  serverDoors,
  ...unread(sglangSettings),
)
