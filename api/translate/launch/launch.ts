/**
 * A request whose plan is a launch file, spelled out: what the file says of model, chips, batch and types of numbers is put in beside what
 * the request says itself. Both may say the same; where they differ it is a fault, since one of them is not what will run.
 */
import { type Fields, isFields } from '../../../src/fields.ts'
import { trainers } from '../../../src/launch/framework.ts'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import { type Catalogue, nearestModels } from '../../catalogue.ts'
import { nearestText } from '../../hints/unknown-name.ts'
import { type Fault, faulty, faultyValue, meaning, ProblemError } from '../../problems.ts'
import type { LaunchedPlan } from '../../schemas/launch.ts'
import type { LaunchRead } from '../../schemas/launch-read.ts'
import { valueAt } from '../../validation/json-pointer.ts'
import { contradictions } from './contradictions.ts'
import { launchKey } from './file.ts'
import { modelNamed, readIn } from './reading.ts'

interface Launch {
  readonly plan: LaunchedPlan
}

export interface SpelledOut<Request> {
  readonly request: Request
  /** None where the plan was one. */
  readonly reading: LaunchReading | null
  readonly read: LaunchRead | null
}

export function spelledOut<Request>(
  asked: Launch,
  held: (whole: unknown) => Request,
  catalogue: Catalogue,
): SpelledOut<Request> {
  const { plan, ...own } = asked
  const reading = readIn(plan, own, catalogue)
  const at = `/plan/${launchKey(plan)}`
  const differing = contradictions(own, reading, catalogue)
  if (reading.faults.length > 0 || differing.length > 0) {
    // A mesh that is not of the chips is so because something else was asked for.
    const faults = [...differing, ...reading.faults.map((detail) => ({ pointer: at, detail }))]
    throw faulty('impossible-combination', faults)
  }
  const unknown = unknownModel(reading, own, at, catalogue)
  if (unknown) throw faultyValue('unknown-name', unknown)
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
  return { request: checked(held, whole, said, own, at), reading, read }
}

/** A name that leads to no model, where nothing else says one. */
function unknownModel(
  reading: LaunchReading,
  own: Fields,
  pointer: string,
  catalogue: Catalogue,
): Fault | null {
  const { named, model } = reading
  if (own.model !== undefined || named === undefined || model?.vocab !== undefined) return null
  if (modelNamed(reading, catalogue) !== undefined) return null
  const shown = named.slice(0, 100)
  const open = named.includes('$')
  const suggestions = open ? [] : nearestModels(catalogue, named)
  const why = open
    ? 'which the text does not set'
    : `which is not in the catalogue${nearestText(suggestions)}`
  return {
    pointer,
    detail: `the model is ${shown}, ${why}: say it beside the plan, as "model": a name of GET /models, or {"huggingFace": {what is in its config.json}}`,
    suggestions,
    ...meaning('/model', suggestions),
  }
}

export function launchWarnings(reading: LaunchReading | null): readonly string[] {
  if (!reading) return []
  const { framework, notes, notUnderstood } = reading
  return [
    ...notes.map((note) => `${framework}: ${note}`),
    ...(notUnderstood.length > 0 ? [`${framework}: not understood: ${notUnderstood.join(', ')}`] : []),
  ]
}

/** Of what the file says, all that the request leaves to it. */
function saidBy(reading: LaunchReading, own: Fields, catalogue: Catalogue): Fields {
  const { model, hardware, workload, assumed, precision, memoryFraction, plan } = reading
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
    ...assumedBy(reading, own),
    plan,
  }
}

/** Unless the request says otherwise, it is costed as the framework runs whose file it is. */
function assumedBy({ framework, assumptions, costed }: LaunchReading, own: Fields): Fields {
  const basis = basisOf(own.assumptions)
  const open = basis !== 'book' && valueAt(own, ['assumptions', 'stack']) === undefined
  const trains = trainers.some((name) => name === framework)
  const stack = open && trains ? { stack: framework } : {}
  const said = { ...stack, ...(basis === 'book' ? {} : costed), ...assumptions }
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
        isFields(file) && isFields(request)
          ? { ...file, ...request }
          : isFields(file)
            ? file
            : (request ?? file),
      ]
    }),
  )
}

/** Faults of what the file says point at the file. */
function checked<Request>(
  held: (whole: unknown) => Request,
  whole: Fields,
  said: Fields,
  own: Fields,
  at: string,
): Request {
  try {
    return held(whole)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const faults = error.faults.map((fault) => {
      const path = fault.pointer.split('/').slice(1)
      const isFiles = valueAt(said, path) !== undefined && valueAt(own, path) === undefined
      return isFiles ? { pointer: at, detail: `${fault.pointer} ${fault.detail}` } : fault
    })
    throw faults.length > 0 ? faulty(error.slug, faults) : error
  }
}
