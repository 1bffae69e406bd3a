/** Finds contradictions between a request and its launch file. */
import { satisfies } from '../../../src/constraint.ts'
import { type Fields, isFields } from '../../../src/fields.ts'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import { replicasOf, unitMesh } from '../../../src/sharding/axis.ts'
import { type Catalogue, knownChip, knownModel } from '../../catalogue.ts'
import type { Fault } from '../../problems.ts'
import { workingChips } from '../../schemas/given/constraint.ts'
import { jsonPointer, valueAt } from '../../validation/json-pointer.ts'
import { modelNamed } from './reading.ts'

export function contradictions(own: Fields, reading: LaunchReading, catalogue: Catalogue): readonly Fault[] {
  const { hardware, workload, precision, assumptions } = reading
  const { batchSequences, ...rest } = workload
  const parts = { hardware, workload: rest, precision, assumptions }
  const apart = Object.entries(parts).flatMap(([part, fields]) =>
    Object.entries(fields).flatMap(([name, value]) => differing(own, [part, name], value)),
  )
  return [
    ...anotherKind(own, reading, catalogue),
    ...apart,
    ...anotherBatch(own, reading),
    ...anotherModel(own, reading, catalogue),
  ]
}

function anotherKind({ hardware }: Fields, { kind }: LaunchReading, catalogue: Catalogue): readonly Fault[] {
  const chip = valueAt(hardware, ['chip'])
  const asked = typeof chip === 'string' ? knownChip(catalogue, chip)?.kind : valueAt(chip, ['kind'])
  if (kind === undefined || typeof asked !== 'string' || asked === kind) return []
  const name = typeof chip === 'string' ? `${chip}, a ${asked.toUpperCase()}` : `a ${asked.toUpperCase()}`
  return [{ pointer: '/hardware/chip', detail: `is ${name}; the launch file is for ${kind.toUpperCase()}s` }]
}

/** Compares models by their catalogue names; dimensions are compared once the model is known. */
function anotherModel({ model }: Fields, reading: LaunchReading, catalogue: Catalogue): readonly Fault[] {
  const named = modelNamed(reading, catalogue)
  if (typeof model !== 'string' || !named || knownModel(catalogue, model) === named) return []
  return [{ pointer: '/model', detail: `is ${model}; the launch file has ${reading.named}` }]
}

/**
 * A batch that replicas and microbatches do not divide is rounded up at launch, so that the rounded number does not
 * contradict the requested one. Servers have a limit, which a smaller batch does not contradict.
 */
function anotherBatch(own: Fields, { workload, mostSequences, plan }: LaunchReading): readonly Fault[] {
  if (mostSequences !== undefined) {
    const asked = Number(valueAt(own, ['workload', 'batchSequences']))
    const detail = `is ${asked}; the servers of the launch file run at most ${mostSequences} sequences at once, as it says or as they do by default`
    return asked > mostSequences ? [{ pointer: '/workload/batchSequences', detail }] : []
  }
  const written = Number(workload.batchSequences)
  const length = Number(valueAt(own, ['workload', 'sequenceLength']) ?? workload.sequenceLength)
  const replicas = replicasOf({ ...unitMesh, ...(isFields(plan.mesh) ? plan.mesh : {}) })
  const share = replicas * Number(plan.microbatches ?? 1)
  const units = { batchSequences: 1, batchTokens: length }
  return Object.entries(units).flatMap(([name, unit]) => {
    const asked = valueAt(own, ['workload', name])
    if (typeof asked !== 'number' || !(written * unit > 0)) return []
    const padded = share * Math.ceil(Math.ceil(asked / unit) / share)
    return padded === written ? [] : differing(own, ['workload', name], written * unit)
  })
}

function differing(own: Fields, path: readonly string[], value: unknown): readonly Fault[] {
  const given = valueAt(own, path)
  if (given === undefined || given === value) return []
  const pointer = jsonPointer(path)
  const more = Number(given) > Number(value)
  if (more && pointer === '/hardware/chips' && leavesIdle(own, Number(value))) return []
  // What a server is told is the longest prompt that it takes.
  if (pointer === '/workload/promptLength' && Number(given) < Number(value)) return []
  if (pointer === '/workload/chunkTokens' && cutAlike(own, Number(given), Number(value))) return []
  const detail = `is ${String(given)}; the launch file has ${String(value)}${wayOut[pointer]?.(more) ?? ''}`
  return [{ pointer, detail }]
}

/** Whether chunks of either size are as many: servers are told whole tokens of equal chunks, or whole pages. */
function cutAlike({ workload }: Fields, given: number, value: number): boolean {
  const { promptLength, cachedPrefixLength = 0 } = isFields(workload) ? workload : {}
  const chunks = (size: number) => Math.ceil((Number(promptLength) - Number(cachedPrefixLength)) / size)
  return chunks(given) === chunks(value)
}

/** Whether the request says that no more than these chips work. */
function leavesIdle(own: Fields, chips: number): boolean {
  const asked = workingChips.safeParse(valueAt(own, ['constraints', 'chips']))
  return asked.success && satisfies(chips, asked.data)
}

/** Advice for fields where both values may be meant, by whether that of the request is more. */
const wayOut: Readonly<Record<string, (more: boolean) => string>> = {
  '/hardware/chips': (more) =>
    more ? ': if the others are to stay idle, say in constraints.chips how many work' : '',
  '/workload/promptLength': () => ': longer prompts than that are refused',
  '/workload/contextLength': () =>
    ': that is the longest that a sequence may be; leave it to the file, and say what sequences hold on average as meanContextLength',
}
