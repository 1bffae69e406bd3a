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

const to = (pointer: string, read: (text: string) => unknown = String) => ({
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
  model: {
    flags: '--model <name>',
    says: 'model, by its name in the catalogue (shardplan models), or its config.json',
    ...to('/model'),
  },
  chip: {
    flags: '--chip <name>',
    says: 'chip, by its name in the catalogue (shardplan hardware)',
    ...to('/hardware/chip'),
  },
  chips: { flags: '--chips <n>', says: 'number of chips', ...to('/hardware/chips', number) },
  topology: {
    flags: '--topology <shape>',
    says: 'shape of a TPU slice: 4x4x4',
    ...to('/hardware/topology', shape),
  },
  slices: { flags: '--slices <n>', says: 'number of TPU slices', ...to('/hardware/slices', number) },
  mode: {
    flags: '--mode <mode>',
    says: 'train (default), prefill, generate or serve',
    ...to('/workload/mode'),
  },
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
  batchSequences: {
    flags: '--batch-sequences <n>',
    says: 'sequences per global step',
    ...to('/workload/batchSequences', number),
  },
  prompt: {
    flags: '--prompt <n>',
    says: 'prefill, serve: tokens of a prompt',
    ...to('/workload/promptLength', number),
  },
  output: {
    flags: '--output <n>',
    says: 'serve: tokens generated for a request',
    ...to('/workload/outputLength', number),
  },
  rate: {
    flags: '--rate <n>',
    says: 'serve: requests per second (default: as many as the chips sustain)',
    ...to('/workload/requestsPerSecond', number),
  },
  ttft: {
    flags: '--ttft <time>',
    says: 'serve: longest time to the first token: 200ms, 1.5s',
    ...to('/workload/maxTimeToFirstTokenSeconds', seconds),
  },
  tpot: {
    flags: '--tpot <time>',
    says: 'serve: longest time for each token after the first: 20ms',
    ...to('/workload/maxTimePerOutputTokenSeconds', seconds),
  },
  context: {
    flags: '--context <n>',
    says: 'generate, serve: positions that a cache has room for',
    ...to('/workload/contextLength', number),
  },
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
  memory: {
    flags: '--memory <bytes>',
    says: 'memory per chip that a plan may fill: 60GB, 56GiB',
    ...to('/memoryBudget', (text) => ({ bytesPerChip: bytes(text) })),
  },
  top: { flags: '--top <n>', says: 'most plans to print', ...to('/top', number) },
  timeout: {
    flags: '--timeout <time>',
    says: 'time limit of the search: 30s',
    ...to('/timeoutMs', time),
  },
  assumptions: {
    flags: '--assumptions <name>',
    says: 'calibrated (default) or book',
    ...to('/assumptions'),
  },
} as const satisfies Readonly<Record<string, RequestOption>>

/** Options for requests that contain a plan. */
export const planOptions = {
  mesh: {
    flags: '--mesh <axes>',
    says: 'mesh of the plan: data=2,tensor=8,pipeline=4',
    ...to('/plan/mesh', axesOf),
  },
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
