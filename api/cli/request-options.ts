/** Options that make up a request, or change one from a file: each with the part of the request that it changes. */
import { parse } from 'yaml'
import { compact } from '../../src/compact.ts'
import type { Change } from '../../src/rules/part-rule.ts'
import { changed } from '../hints/change.ts'
import { valueAt } from '../validation/json-pointer.ts'
import { axesOf, bytes, noBytes, noCount, number, seconds, shape, time } from './option-values.ts'
import { quantity } from './quantity.ts'
import { UsageError } from './usage-error.ts'

interface RequestOption {
  readonly flags: string
  readonly says: string
  /** All that the option may change. */
  readonly pointers: readonly string[]
  readonly changes: (value: string, mode: string) => readonly Change[]
}

/** An option for the field at a pointer. */
const to = (flags: string, says: string, pointer: string, read: (text: string) => unknown = String) => ({
  ...{ flags, says },
  pointers: [pointer],
  changes: (value: string): readonly Change[] => [{ pointer, value: read(value) }],
})

/** What `--seq` is the length of, by mode. */
const lengths: Readonly<Record<string, string>> = {
  train: '/workload/sequenceLength',
  prefill: '/workload/promptLength',
  generate: '/workload/contextLength',
  serve: '/workload/promptLength',
}

const batches = ['/workload/batchTokens', '/workload/batchSequences'] as const

/** Options are applied in this order. */
export const requestOptions = {
  model: to(
    '--model <name>',
    'model, by its name in the catalogue (shardplan models), or its config.json',
    '/model',
  ),
  chip: to('--chip <name>', 'chip, by its name in the catalogue (shardplan hardware)', '/hardware/chip'),
  chips: to('--chips <n>', 'number of chips', '/hardware/chips', number),
  topology: to('--topology <shape>', 'shape of a TPU slice: 4x4x4', '/hardware/topology', shape),
  slices: to('--slices <n>', 'number of TPU slices', '/hardware/slices', number),
  mode: to('--mode <mode>', 'train (default), prefill, generate or serve', '/workload/mode'),
  batch: {
    flags: '--batch <n>',
    says: 'train: tokens per global step (4M) or sequences (512seqs); prefill: prompts; generate: sequences, or max',
    pointers: batches,
    changes: (text: string, mode: string) => {
      const sequences = /^(.*\S)\s*seq(?:uence)?s?$/.exec(text)?.[1] ?? null
      const value = text === 'max' ? text : number(sequences ?? text)
      const [inTokens, inSequences] = batches
      const [own, other] =
        mode === 'train' && sequences === null ? [inTokens, inSequences] : [inSequences, inTokens]
      // Removes the batch in the other unit, which a file may have set.
      return [
        { pointer: other, value: null },
        { pointer: own, value },
      ]
    },
  },
  batchSequences: to(
    '--batch-sequences <n>',
    'sequences per global step',
    '/workload/batchSequences',
    number,
  ),
  prompt: to('--prompt <n>', 'prefill, serve: tokens of a prompt', '/workload/promptLength', number),
  output: to('--output <n>', 'serve: tokens generated for a request', '/workload/outputLength', number),
  rate: to(
    '--rate <n>',
    'serve: requests per second (default: as many as the chips sustain)',
    '/workload/requestsPerSecond',
    number,
  ),
  ttft: to(
    '--ttft <time>',
    'serve: longest time to the first token: 200ms, 1.5s',
    '/workload/maxTimeToFirstTokenSeconds',
    seconds,
  ),
  tpot: to(
    '--tpot <time>',
    'serve: longest time for each token after the first: 20ms',
    '/workload/maxTimePerOutputTokenSeconds',
    seconds,
  ),
  context: to(
    '--context <n>',
    'generate, serve: positions that a cache has room for',
    '/workload/contextLength',
    number,
  ),
  seq: {
    flags: '--seq <n>',
    says: 'length of a sequence, prompt or context in tokens: 8k',
    pointers: Object.values(lengths),
    changes: (text: string, mode: string) => [
      { pointer: lengths[mode] ?? '/workload/sequenceLength', value: number(text) },
    ],
  },
  precision: {
    flags: '--precision <type>',
    says: 'type of matmul operands, and in inference of weights: fp8',
    pointers: ['/precision/compute', '/precision/weights'],
    changes: (text: string, mode: string) =>
      compact(
        { pointer: '/precision/compute', value: text },
        mode !== 'train' && { pointer: '/precision/weights', value: text },
      ),
  },
  memory: to(
    '--memory <bytes>',
    'memory per chip that a plan may fill: 60GB, 56GiB',
    '/memoryBudget',
    (text) => ({ bytesPerChip: bytes(text) }),
  ),
  top: to('--top <n>', 'most plans to print', '/top', number),
  timeout: to('--timeout <time>', 'time limit of the search: 30s', '/timeoutMs', time),
  assumptions: to('--assumptions <name>', 'calibrated (default) or book', '/assumptions'),
} as const satisfies Readonly<Record<string, RequestOption>>

/** Options for requests that contain a plan. */
export const planOptions = {
  mesh: to('--mesh <axes>', 'mesh of the plan: data=2,tensor=8,pipeline=4', '/plan/mesh', axesOf),
} as const satisfies Readonly<Record<string, RequestOption>>

const all: Readonly<Record<string, RequestOption>> = { ...requestOptions, ...planOptions }

type OptionName = keyof typeof requestOptions | keyof typeof planOptions

export type RequestOptions = { readonly [Name in OptionName]?: string } & {
  readonly set?: readonly string[]
}

/** The option that sets the field at a pointer, such as `--batch`: of several, the one that was written; null if there is none. */
export function optionAt(pointer: string, args: readonly string[]): string | null {
  const names = Object.values(requestOptions)
    .filter(({ pointers }) => pointers.some((own) => own === pointer))
    .map(nameOf)
  const isWritten = (name: string) => args.some((arg) => arg === name || arg.startsWith(`${name}=`))
  return names.find(isWritten) ?? names[0] ?? null
}

function nameOf({ flags }: Pick<RequestOption, 'flags'>): string {
  return flags.slice(0, flags.indexOf(' '))
}

/** The request as changed by the options; without a mode it is of training. */
export function withOptions(body: unknown, options: RequestOptions): unknown {
  const first = options.mode ?? valueAt(body, ['workload', 'mode'])
  const mode = typeof first === 'string' ? first : 'train'
  const said = Object.entries(all).flatMap(([name, option]) => {
    const value = options[name as OptionName]
    return value === undefined ? [] : changesOf(option, value, mode)
  })
  const workload = said.some(({ pointer }) => pointer.startsWith('/workload/'))
  const implied = workload && first === undefined ? [{ pointer: '/workload/mode', value: mode }] : []
  return changed(body, [...implied, ...said, ...(options.set ?? []).map(assignment)])
}

/** An error names the option that it was given to. */
function changesOf(option: RequestOption, value: string, mode: string): readonly Change[] {
  try {
    return option.changes(value, mode)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(`${nameOf(option)} ${error.message}`)
  }
}

/** A change such as `require.minMfu=0.4`; the value is YAML, or a number with a unit. */
export function assignment(text: string): Change {
  const [, path = '', value = ''] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? []
  if (!path) throw new UsageError(`--set ${text}: write path=value, such as require.minMfu=0.4`)
  const parts = path.startsWith('/') ? path.slice(1).split('/') : path.split('.')
  const found = quantity(value)
  const ofBytes = /bytes/i.test(parts.at(-1) ?? '')
  if (found?.of === (ofBytes ? 'count' : 'bytes')) {
    throw new UsageError(`--set ${text}: ${ofBytes ? noBytes(value) : noCount(value)}`)
  }
  return { pointer: `/${parts.join('/')}`, value: found?.value ?? yaml(value) }
}

function yaml(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return text
  }
}
