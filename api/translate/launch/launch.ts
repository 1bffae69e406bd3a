/**
 * A request whose plan is a launch file, spelled out: what the file says of model, chips, batch and types of numbers is put in beside what
 * the request says itself. Both may say the same; where they differ it is a fault, since one of them is not what will run.
 */
import type { z } from 'zod'
import { trainers } from '../../../src/launch/framework.ts'
import { catalogueNames } from '../../../src/launch/read/model-name.ts'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import type { Transformer } from '../../../src/model/transformer.ts'
import { replicasOf, unitMesh } from '../../../src/sharding/axis.ts'
import { type Catalogue, knownModel } from '../../catalogue.ts'
import { type Fault, ProblemError } from '../../problems.ts'
import { modelRequest } from '../../schemas/given/model.ts'
import type { LaunchedPlan } from '../../schemas/launch.ts'
import type { LaunchRead } from '../../schemas/launch-read.ts'
import { jsonPointer, valueAt } from '../../validation/json-pointer.ts'
import { validated } from '../../validation/request-validation.ts'
import { resolvedModel } from '../model/model.ts'
import { launchKey, readingOf } from './file.ts'

type Fields = Readonly<Record<string, unknown>>

interface Launch {
  readonly plan: LaunchedPlan
}

export interface SpelledOut<Request> {
  readonly request: Request
  /** None where the plan was one. */
  readonly reading: LaunchReading | null
  readonly read: LaunchRead | null
}

export function spelledOut<Schema extends z.ZodType>(
  asked: Launch,
  schema: Schema,
  catalogue: Catalogue,
): SpelledOut<z.output<Schema>> {
  const { plan, ...own } = asked
  const reading = readIn(plan, own, catalogue)
  const at = `/plan/${launchKey(plan)}`
  const differing = contradictions(own, reading, catalogue)
  if (reading.faults.length > 0 || differing.length > 0) {
    const faults = [...reading.faults.map((detail) => ({ pointer: at, detail })), ...differing]
    throw new ProblemError('impossible-combination', `${faults[0]?.pointer}: ${faults[0]?.detail}`, faults)
  }
  const said = saidBy(reading, own, catalogue)
  const whole = merged(said, own)
  const { framework, version, notes, ignored, notUnderstood } = reading
  const read = {
    framework,
    version,
    request: whole,
    notes: [...notes],
    ignored: [...ignored],
    notUnderstood: [...notUnderstood],
  }
  return { request: checked(schema, whole, said, own, at), reading, read }
}

/** What the components of a plan are called depends on the model, which the file may be who names: it is read again once that is known. */
function readIn(plan: LaunchedPlan, own: Fields, catalogue: Catalogue): LaunchReading {
  const mode = valueAt(own, ['workload', 'mode'])
  const context = {
    chips: chipsOf(own),
    slices: Number(valueAt(own, ['hardware', 'slices']) ?? 1),
    mode: typeof mode === 'string' ? mode : null,
  }
  const first = readingOf(plan, { ...context, model: null })
  const model = transformerOf(own.model ?? modelNamed(first, catalogue), catalogue)
  if (!model) return first
  const { layers, attention, experts, maxSequenceLength = null } = model
  const known = { layers, latent: attention.latent !== null, experts: experts !== null, maxSequenceLength }
  return readingOf(plan, { ...context, model: known })
}

/** Null of one that cannot be understood: what is wrong with it is told once the request is whole. */
function transformerOf(model: unknown, catalogue: Catalogue): Transformer | null {
  const asked = modelRequest.safeParse(model)
  if (!asked.success) return null
  try {
    return resolvedModel(asked.data, catalogue).transformer
  } catch (error) {
    if (error instanceof ProblemError) return null
    throw error
  }
}

/** As the catalogue has it; undefined where the file names none, or one that is not there. */
function modelNamed({ named }: LaunchReading, catalogue: Catalogue): string | undefined {
  if (named === undefined) return undefined
  return catalogueNames(named).find((name) => knownModel(catalogue, name))
}

/** The name of a model and the dimensions in the file have to be of one model. */
export function refuseAnotherModel(reading: LaunchReading | null, model: Transformer): void {
  if (!reading?.model) return
  const known: Fields = { ...model }
  const faults = compared
    .filter((name) => reading.model?.[name] !== undefined && reading.model[name] !== known[name])
    .filter((name) => model.attention.latent === null || !ofPlainHeads.includes(name))
    .map((name) => ({
      pointer: '/model',
      detail: `${model.name} has ${name} ${String(known[name])}; the launch file has ${String(reading.model?.[name])}`,
    }))
  const [first] = faults
  if (first) throw new ProblemError('impossible-combination', `${first.pointer}: ${first.detail}`, faults)
}

export function launchWarnings(reading: LaunchReading | null): readonly string[] {
  if (!reading) return []
  const { framework, notes, notUnderstood } = reading
  return [
    ...notes.map((note) => `${framework}: ${note}`),
    ...(notUnderstood.length > 0 ? [`${framework}: not understood: ${notUnderstood.join(', ')}`] : []),
  ]
}

const compared = [
  'layers',
  'dModel',
  'dFf',
  'heads',
  'kvHeads',
  'headDim',
  'gatedMlp',
  'tiedEmbeddings',
] as const

const ofPlainHeads: readonly string[] = ['kvHeads', 'headDim']

function chipsOf({ hardware }: Fields): number | null {
  const {
    chips,
    topology,
    slices = 1,
  } = (hardware ?? {}) as { chips?: unknown; topology?: unknown; slices?: unknown }
  if (typeof chips === 'number') return chips
  if (!Array.isArray(topology)) return null
  const all = topology.reduce((product: number, size) => product * Number(size), Number(slices))
  return Number.isInteger(all) ? all : null
}

/** Of what the file says, all that the request leaves to it. */
function saidBy(reading: LaunchReading, own: Fields, catalogue: Catalogue): Fields {
  const { framework, model, hardware, workload, assumed, precision, assumptions, memoryFraction, plan } =
    reading
  const { batchSequences, ...rest } = workload
  const named = modelNamed(reading, catalogue)
  const batch = valueAt(own, ['workload', 'batchTokens']) === undefined && batchSequences !== undefined
  return {
    ...(own.model === undefined && model?.vocab !== undefined ? { model } : {}),
    ...(own.model === undefined && named !== undefined ? { model: named } : {}),
    ...(own.memoryBudget === undefined && memoryFraction !== undefined
      ? { memoryBudget: { fraction: memoryFraction } }
      : {}),
    hardware,
    workload: { ...assumed, ...rest, ...(batch ? { batchSequences } : {}) },
    precision,
    ...assumedBy(framework, assumptions, own),
    plan,
  }
}

/** Unless the request says otherwise, it is costed as the framework runs whose file it is. */
function assumedBy(
  framework: LaunchReading['framework'],
  assumptions: LaunchReading['assumptions'],
  own: Fields,
): Fields {
  const basis = basisOf(own.assumptions)
  const open = basis !== 'book' && valueAt(own, ['assumptions', 'stack']) === undefined
  const trains = trainers.some((name) => name === framework)
  const stack = open && trains ? { stack: framework } : {}
  const said = { ...stack, ...assumptions }
  return Object.keys(said).length > 0 ? { assumptions: { basis, ...said } } : {}
}

function basisOf(assumptions: unknown): unknown {
  return typeof assumptions === 'string' ? assumptions : (valueAt(assumptions, ['basis']) ?? 'calibrated')
}

function merged(said: Fields, own: Fields): Fields {
  const keys = new Set([...Object.keys(said), ...Object.keys(own)])
  return Object.fromEntries(
    [...keys].map((key) => {
      const [file, request] = [said[key], own[key]]
      return [
        key,
        isObject(file) && isObject(request)
          ? { ...file, ...request }
          : isObject(file)
            ? file
            : (request ?? file),
      ]
    }),
  )
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function contradictions(own: Fields, reading: LaunchReading, catalogue: Catalogue): readonly Fault[] {
  const { hardware, workload, precision, assumptions } = reading
  const { batchSequences, ...rest } = workload
  const parts = { hardware, workload: rest, precision, assumptions }
  const apart = Object.entries(parts).flatMap(([part, fields]) =>
    Object.entries(fields).flatMap(([name, value]) => differing(own, [part, name], value)),
  )
  return [...apart, ...anotherBatch(own, reading), ...anotherModel(own, reading, catalogue)]
}

/** By its name in the catalogue; those of its dimensions are compared where the model is known. */
function anotherModel({ model }: Fields, reading: LaunchReading, catalogue: Catalogue): readonly Fault[] {
  const named = modelNamed(reading, catalogue)
  if (typeof model !== 'string' || named === undefined || model.toLowerCase() === named) return []
  return [{ pointer: '/model', detail: `is ${model}; the launch file has ${reading.named}` }]
}

/** A batch that replicas do not divide is launched rounded up: that is the batch that was asked for. */
function anotherBatch(own: Fields, { workload, plan }: LaunchReading): readonly Fault[] {
  const written = Number(workload.batchSequences)
  const length = Number(valueAt(own, ['workload', 'sequenceLength']) ?? workload.sequenceLength)
  const replicas = replicasOf({ ...unitMesh, ...(isObject(plan.mesh) ? plan.mesh : {}) })
  const units = { batchSequences: 1, batchTokens: length }
  return Object.entries(units).flatMap(([name, unit]) => {
    const asked = valueAt(own, ['workload', name])
    if (typeof asked !== 'number' || !(written * unit > 0)) return []
    const padded = replicas * Math.ceil(asked / unit / replicas - rounding)
    return padded === written ? [] : differing(own, ['workload', name], written * unit)
  })
}

/** Of a division that comes out even but for the last digit. */
const rounding = 1e-9

function differing(own: Fields, path: readonly string[], value: unknown): readonly Fault[] {
  const given = valueAt(own, path)
  if (given === undefined || given === value) return []
  return [{ pointer: jsonPointer(path), detail: `is ${String(given)}; the launch file has ${String(value)}` }]
}

/** Faults of what the file says point at the file. */
function checked<Schema extends z.ZodType>(
  schema: Schema,
  whole: Fields,
  said: Fields,
  own: Fields,
  at: string,
): z.output<Schema> {
  try {
    return validated(schema, whole)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const faults = error.faults.map((fault) => {
      const path = fault.pointer.split('/').slice(1)
      const isFiles = valueAt(said, path) !== undefined && valueAt(own, path) === undefined
      return isFiles ? { pointer: at, detail: `${fault.pointer} ${fault.detail}` } : fault
    })
    throw new ProblemError(error.slug, `${faults[0]?.pointer}: ${faults[0]?.detail}`, faults)
  }
}
