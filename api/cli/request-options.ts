/** Options that make up a request, or change one from a file: each with the part of the request that it changes. */

import { parse } from 'yaml'
import type { Change } from '../../src/rules/part-rule.ts'
import { changed } from '../hints/change.ts'
import { valueAt } from '../validation/json-pointer.ts'
import { milliseconds, quantity } from './quantity.ts'
import { UsageError } from './usage-error.ts'

interface RequestOption {
  readonly flags: string
  readonly says: string
  readonly changes: (value: string, mode: string) => readonly Change[]
}

const to =
  (pointer: string, read: (text: string) => unknown = String) =>
  (value: string): readonly Change[] => [{ pointer, value: read(value) }]

/** Options are applied in this order. */
export const requestOptions = {
  model: {
    flags: '--model <name>',
    says: 'model, by its name in the catalogue (shardplan models)',
    changes: to('/model'),
  },
  chip: {
    flags: '--chip <name>',
    says: 'chip, by its name in the catalogue (shardplan hardware)',
    changes: to('/hardware/chip'),
  },
  chips: { flags: '--chips <n>', says: 'number of chips', changes: to('/hardware/chips', number) },
  topology: {
    flags: '--topology <shape>',
    says: 'shape of a TPU slice: 4x4x4',
    changes: to('/hardware/topology', shape),
  },
  slices: { flags: '--slices <n>', says: 'number of TPU slices', changes: to('/hardware/slices', number) },
  mode: {
    flags: '--mode <mode>',
    says: 'train (default), prefill, generate or serve',
    changes: to('/workload/mode'),
  },
  batch: {
    flags: '--batch <n>',
    says: 'train: tokens per global step (4M) or sequences (512seqs); prefill: prompts; generate: sequences, or max',
    changes: (text, mode) => {
      const sequences = /^(.*\S)\s*seq(?:uence)?s?$/.exec(text)?.[1] ?? null
      const value = text === 'max' ? text : number(sequences ?? text)
      const names = ['/workload/batchSequences', '/workload/batchTokens'] as const
      const [own, other] = mode === 'train' && sequences === null ? [names[1], names[0]] : names
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
    changes: to('/workload/batchSequences', number),
  },
  seq: {
    flags: '--seq <n>',
    says: 'length of a sequence, prompt or context in tokens: 8k',
    changes: (text, mode) => [
      { pointer: `/workload/${lengths[mode] ?? 'sequenceLength'}`, value: number(text) },
    ],
  },
  memory: {
    flags: '--memory <bytes>',
    says: 'memory per chip that a plan may fill: 60GB, 56GiB',
    changes: to('/memoryBudget', (text) => ({ bytesPerChip: bytes(text) })),
  },
  top: { flags: '--top <n>', says: 'most plans to print', changes: to('/top', number) },
  timeout: {
    flags: '--timeout <time>',
    says: 'time limit of the search: 30s',
    changes: to('/timeoutMs', time),
  },
  assumptions: {
    flags: '--assumptions <name>',
    says: 'calibrated (default) or book',
    changes: to('/assumptions'),
  },
} as const satisfies Readonly<Record<string, RequestOption>>

/** Options for requests that contain a plan. */
export const planOptions = {
  mesh: {
    flags: '--mesh <axes>',
    says: 'mesh of the plan: data=2,tensor=8,pipeline=4',
    changes: to('/plan/mesh', axesOf),
  },
} as const satisfies Readonly<Record<string, RequestOption>>

const all: Readonly<Record<string, RequestOption>> = { ...requestOptions, ...planOptions }

const lengths: Readonly<Record<string, string>> = {
  prefill: 'promptLength',
  generate: 'contextLength',
  serve: 'promptLength',
}

type OptionName = keyof typeof requestOptions | keyof typeof planOptions

export type RequestOptions = { readonly [Name in OptionName]?: string } & {
  readonly set?: readonly string[]
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
function changesOf({ flags, changes }: RequestOption, value: string, mode: string): readonly Change[] {
  try {
    return changes(value, mode)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(`${flags.split(' ')[0]} ${error.message}`)
  }
}

/** A change such as `require.minMfu=0.4`; the value is YAML, or a number with a unit. */
export function assignment(text: string): Change {
  const [, path = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
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

function number(text: string): number {
  const found = quantity(text)
  if (found === null) throw new UsageError(`${text} is no number; write 512, 8k or 4M`)
  if (found.of === 'bytes') throw new UsageError(noCount(text))
  return found.value
}

function bytes(text: string): number {
  const found = quantity(text)
  if (found === null) throw new UsageError(`${text} is no number of bytes; write 60GB or 56GiB`)
  if (found.of === 'count') throw new UsageError(noBytes(text))
  return found.value
}

/** For 4MB where 4M was meant, and the other way round. */
function noCount(text: string): string {
  return `${text} is of bytes, and a count is meant: write ${text.replace(/i?B$/, '') || '4M'} (k, M and G are powers of 1024)`
}

function noBytes(text: string): string {
  return `${text} says no bytes: write ${text.toUpperCase()}B, which is decimal, or ${text.toUpperCase()}iB`
}

function time(text: string): number {
  const value = milliseconds(text)
  if (value === null) throw new UsageError(`${text} is no time; write 500ms, 30s or 1m`)
  return value
}

function shape(text: string): readonly number[] {
  return text.split(/[x,]/).map(number)
}

function axesOf(text: string): Readonly<Record<string, number>> {
  const axes: Record<string, number> = {}
  for (const pair of text.split(/[,\s]+/)) {
    const [, axis = '', size = ''] = /^([a-z]\w*)[=:](\d+)$/i.exec(pair) ?? []
    if (!axis) throw new UsageError(`${text}: ${unread(pair)}`)
    if (Object.hasOwn(axes, axis)) throw new UsageError(`${text} gives ${axis} twice`)
    axes[axis] = Number(size)
  }
  return axes
}

/** `tensor24` is 24 of one axis or 4 of another, so that nothing is taken for granted. */
function unread(pair: string): string {
  const [, axis, size] = /^([a-z]+)(\d+)$/i.exec(pair) ?? []
  return axis ? `write ${axis}=${size} for ${pair}` : 'write data=2,tensor=8'
}
