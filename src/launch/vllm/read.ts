/** Reads a command of vLLM into the words of a request, by the rows of settings.ts. */
import { compact } from '../../compact.ts'
import { misnamedAmong, onlyValue } from '../read/closed-values.ts'
import { leftOver } from '../read/left-over.ts'
import type { Options } from '../read/options.ts'
import type { LaunchReading, ReadingContext } from '../read/reading.ts'
import { serverCommand, unsentOptions } from '../read/server-command.ts'
import { serverPrograms } from '../read/server-programs.ts'
import { everywhere } from '../server/attention-groups.ts'
import { type OnHost, ranksOnHost } from '../server/beyond-host.ts'
import { brokenJson } from '../server/json-values.ts'
import { longerOf, longerVariables } from '../server/longer.ts'
import { quantized, vllmQuantizations } from '../server/quantization.ts'
import { precisionRead, typesOf, uncountedCaches } from '../server/read-precision.ts'
import { servingReading } from '../server/read-serving.ts'
import { copiesSaid } from '../server/redundant-copies.ts'
import { shareFault } from '../server/share-fault.ts'
import { stateTypeNote } from '../server/state-types.ts'
import { withDrafts, withOverrides, withoutGraphs } from '../server/uncounted.ts'
import { said } from '../settings/settings.ts'
import { cacheTypeSaid } from './cache-type.ts'
import { copiesIn } from './copies.ts'
import { countOf } from './counts.ts'
import { exchangeOf } from './exchange.ts'
import { isImmaterial } from './immaterial.ts'
import { cachesSaid, inBytes, memoryOf } from './read-memory.ts'
import { gpuFormats } from './rules.ts'
import { sentBy } from './sent.ts'
import { vllmSettings } from './settings.ts'
import { sharersFault, sharersNote } from './shared-positions.ts'
import { shortNames } from './short-names.ts'
import { fewTokens, others, stepIn, unsaidTokens, usualStep, wholePrompts } from './step-tokens.ts'
import { vllmValues } from './values.ts'
import { vllmVersion } from './version.ts'

const program = serverPrograms.vllm

/** Fraction of a GPU that vLLM uses by default (docs.vllm.ai/en/stable/api/vllm/config/cache, CacheConfig; 0.9 in releases of 2025). */
const filled = 0.92
const utilization = '--gpu-memory-utilization'

export function readVllm(text: string, context: ReadingContext): LaunchReading {
  const { options, model, starts, variables, notes, unread, onePhase, faults } = serverCommand(
    text,
    program,
    shortNames,
    context.mode,
  )
  const named = model ?? options.text('--model')
  const { tensor, data, spreads, pipeline, positions, sequences, ...rest } = said(vllmSettings, options)
  const exchange = exchangeOf(rest.dispatch, variables, context.mode)
  const sent = sentBy(exchange, { spreads, tensor, data }, { text, variables, starts }, context)
  const { value: length, fault: lengthFault } = countOf(options, '--max-model-len', whateverFits)
  const ofModel = rest.length === null && context.model?.surePositions && !changesModel(options)
  const longest = ofModel ? (context.model?.maxSequenceLength ?? null) : length
  const quantised = quantized(rest.quantization, named, vllmQuantizations, context.model?.storedBy)
  const cacheType = cacheTypeSaid(rest.cache, quantised.types.weights, named, context)
  const grouped = groupsOnTpus(rest.additional)
  // Data ranks share the experts of a model that has some; otherwise, and on TPUs, they are replicas.
  const shares = context.chip?.kind !== 'tpu' && (context.model?.experts ?? spreads)
  const groups = grouped ?? (shares ? data : 1)
  const { value: told, fault: tokensFault } = countOf(options, '--max-num-batched-tokens')
  const usual = context.chip ? usualStep(context.chip, options, longest) : null
  const small = stepIn(options, others)
  const most = told ?? usual?.tokens ?? null
  // Where no prompts are read the option says only that the server starts, so it counts as ignored.
  const unheld = told !== null && context.mode === 'generate' ? [`--max-num-batched-tokens ${told}`] : []
  const unsaid = told === null ? unsaidTokens(usual?.tokens ?? null, options) : null
  const caches = cachesSaid(options, context)
  const stepTokens = context.mode === 'serve' ? most : told
  return servingReading(
    {
      framework: 'vllm',
      version: vllmVersion,
      named,
      assumptions: copiesSaid(copiesIn(options, rest.copiesOf), { balances: rest.copies, spreads }),
      ranks: grouped ? tensor : tensor * groups,
      groups,
      pipeline,
      replicas: shares && !grouped ? 1 : data,
      experts: !spreads ? 'sliced' : exchange.sends ? 'dispatched' : 'spread',
      positions: positions > 1,
      besideGroups: everywhere(grouped === null ? 'own' : 'all'),
      contextLength: length,
      fitsLength: rest.length !== null,
      holdsLongest: true,
      kept: 1,
      sequences,
      // vLLM takes no more by default than a step has tokens for (arg_utils.py).
      usualSequences: usual && {
        option: '--max-num-seqs',
        count: Math.min(usual.sequences, most ?? usual.sequences),
      },
      stepTokens,
      chunk: most === null ? null : { tokens: most, unsaid },
      servingNotes: compact(unsaid, transferNote(options.text('--kv-transfer-config'))),
      onePhase,
      unread,
      refusals: compact(
        quantised.refusals,
        cacheType.refusals,
        sent.refusals,
        spreads && context.model?.experts === false && spreadsNothing,
        brokenJson(options, 'vLLM'),
      ),
      precision: { ...sent.precision, ...precisionRead(rest, quantised, types) },
      misnamed: misnamedAmong(vllmValues, (option) => onlyValue(options.text(option))),
      ...memoryOf(
        shareFault(utilization, rest.utilization) ? filled : (rest.utilization ?? filled),
        caches.bytes,
        {
          ...{ ranks: tensor, stages: pipeline, tokens: most ?? small.tokens },
          sequences: sequences ?? Math.min(usual?.sequences ?? small.sequences, most ?? small.tokens),
          graphed: options.isOn('--enforce-eager') ? 0 : options.whole('--max-cudagraph-capture-size'),
        },
        context,
      ),
      written: {
        '/memoryBudget': `${utilization} {}`,
        '/plan/cacheShare': `${caches.bytes === null ? utilization : inBytes} {}`,
        '/plan/contextLength': '--max-model-len {}',
        '/plan/generate/layout/experts': '--enable-expert-parallel',
      },
      notes: compact(
        notes,
        notesOf(options, context.mode),
        exchange.notes,
        sent.notes,
        sharersNote(positions, tensor),
        stateNote(options, context),
        quantised.notes,
        cacheType.notes,
        uncountedCaches(rest, types),
      ),
      longer: longerOf(longerVariables.vllm, variables, changesModel(options)),
      onHost: starts ? onHostOf(text, options, tensor * pipeline, data) : null,
      // Must come last: what nobody has asked for by now is left over.
      ...leftOver([...options.left(), ...unheld], isImmaterial, namesOf(options), options.undashed()),
      shortNames,
      refuses: true,
      uncounted: caches.uncounted,
      faults: compact(
        faults,
        options.faults,
        lengthFault,
        tokensFault,
        unsentOptions(options),
        fewTokens(sequences, told, most),
        wholePrompts(options, longest, most),
        shareFault(utilization, rest.utilization),
        caches.faults,
        sharersFault(positions, tensor),
      ),
    },
    context,
  )
}

/** vllm/config/model.py, _verify_with_expert_parallelism. */
const spreadsNothing =
  'vLLM does not start with --enable-expert-parallel ("Number of experts in the model must be greater than 0"): the model has no experts'

/** Lengths of whatever caches have room for. */
const whateverFits = /^(-1|auto)$/i

/** Options that are read, by their short names as well. */
function namesOf(options: Options): readonly string[] {
  return [...options.known(), ...Object.keys(shortNames)]
}

/** Whether the model's config is another than it is published with. */
function changesModel(options: Options): boolean {
  return options.has('--hf-overrides', '--rope-scaling', '--hf-config-path')
}

/** Each data rank is a process of its own; all are on the host unless some are said to be elsewhere. */
function onHostOf(text: string, options: Options, ranks: number, data: number): OnHost | null {
  const backends = ['--distributed-executor-backend', '--data-parallel-backend']
  if (backends.some((one) => !/^(mp|uni|)$/.test(options.text(one) ?? ''))) return null
  const apart = ['--data-parallel-rank', '--data-parallel-external-lb', '--data-parallel-start-rank']
  // A first node may have no ranks of its own.
  const single = options.number('--data-parallel-size-local') ?? (options.has(...apart) ? 1 : data)
  const how =
    '--nnodes and --node-rank say that a replica runs on several hosts, --data-parallel-size-local how many data ranks are on one, --distributed-executor-backend ray that Ray places them'
  return ranksOnHost(text, options, ranks * single, how)
}

function stateNote(options: Options, context: ReadingContext): string | null {
  const [own, all] = ['--mamba-ssm-cache-dtype', '--mamba-cache-dtype']
  const type = () => {
    const [first, second] = [options.text(own), options.text(all)]
    return first === null || first === 'auto' ? second : first
  }
  return stateTypeNote(own, type, usualState, context)
}

const usualState =
  "vLLM takes the type that the config of a Qwen3.5 has for states, and of others, such as Qwen3-Next, the model's own, where states are counted in float32, of 4 bytes"

/** Of a server that is asked for both phases. Roles of one phase are in read/one-phase.ts. */
function transferNote(config: string | null): string | null {
  if (config === null) return null
  return /Nixl\w*Connector/.test(config)
    ? '--kv-transfer-config may be that of a server of one phase or of both, and is counted as both: modes prefill and generate read it as one of these'
    : '--kv-transfer-config is not counted: the server does both phases itself'
}

/** On TPUs the groups are in a config of the plugin's own. */
function groupsOnTpus(additional: string | null): number | null {
  const found = /"attn_dp_size"\s*:\s*(\d{1,6})/.exec(additional ?? '')
  return found ? Number(found[1]) : null
}

/** Caches of fp8 and nvfp4 with scales of their own (per head, or in the layout of latent attention) are counted without these. */
const types = typesOf(
  gpuFormats,
  ['float16', 'bf16'],
  ...(['e4m3', 'e5m2', 'inc', 'ds_mla', 'per_token_head'] as const).map(
    (kind) => [`fp8_${kind}`, 'fp8'] as const,
  ),
  ...(['ds_mla', '4over6'] as const).map((kind) => [`nvfp4_${kind}`, 'nvfp4'] as const),
)

function notesOf(options: Options, mode: string | null): readonly string[] {
  const context = options.whole('--prefill-context-parallel-size') ?? 1
  const speculates = ['--speculative-config', '--spec-method', '--spec-model', '--spec-tokens'].find((one) =>
    options.has(one),
  )
  // A key behind a point is one of the config.
  const byKey = options.left().some((option) => option.startsWith('--speculative-config.'))
  const speculation = speculates ?? (byKey ? '--speculative-config' : null)
  return compact(
    speculation !== null && withDrafts(speculation, mode),
    context > 1 && '--prefill-context-parallel-size is not counted',
    options.has('--cpu-offload-gb') && '--cpu-offload-gb is not counted: all weights are on the chips',
    options.has('--kv-offloading-size') &&
      '--kv-offloading-size is not counted: caches that are put aside on the host bring prefixes back, and hold no running sequence',
    options.isOn('--enforce-eager') && withoutGraphs('--enforce-eager'),
    options.has('--hf-overrides') && withOverrides('--hf-overrides'),
  )
}
