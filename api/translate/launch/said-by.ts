/** What a launch file says of a request, and the request with that merged in. */
import { noStack } from '../../../src/assumptions/stack.ts'
import { type Fields, isFields } from '../../../src/fields.ts'
import { type LaunchReading, writtenFor } from '../../../src/launch/read/reading.ts'
import type { Catalogue } from '../../catalogue.ts'
import { valueAt } from '../../validation/json-pointer.ts'
import { modelNamed } from './reading.ts'

/** What the file says and the request does not. */
export function saidBy(reading: LaunchReading, own: Fields, catalogue: Catalogue): Fields {
  const { model, hardware, workload, assumed, precision, memoryFraction, plan } = reading
  const { batchSequences, ...rest } = workload
  const named = modelNamed(reading, catalogue) && reading.named
  const batch = valueAt(own, ['workload', 'batchTokens']) === undefined && batchSequences !== undefined
  return {
    ...(own.model === undefined && model?.vocab !== undefined ? { model } : {}),
    ...(own.model === undefined && named !== undefined ? { model: named } : {}),
    ...(own.memoryBudget === undefined && memoryFraction !== undefined
      ? { memoryBudget: { fraction: memoryFraction } }
      : {}),
    hardware,
    workload: { ...assumed, ...rest, ...(batch ? { batchSequences } : {}), ...cappedBy(reading, own) },
    precision,
    ...assumedBy(reading, own),
    plan: { ...plan, ...costedBy(reading, own) },
  }
}

/** A server generates for as many sequences as memory holds, up to its cap; prompts are read as many at once as it says. */
function cappedBy({ mostSequences, assumed }: LaunchReading, own: Fields): Fields {
  const asked = valueAt(own, ['workload', 'batchSequences']) ?? assumed?.batchSequences
  if (mostSequences === undefined || typeof asked === 'number') return {}
  return asked === 'max' ? { maxSequences: mostSequences } : { batchSequences: mostSequences }
}

/** Unless the request says otherwise, the plan is costed as the file's own framework runs it, and with general constants where none are of it. */
function assumedBy({ framework, assumptions }: LaunchReading, own: Fields): Fields {
  const stack = leavesStack(own) ? { stack: writtenFor(framework) ?? noStack } : {}
  const said = { ...stack, ...assumptions }
  return Object.keys(said).length > 0 ? { assumptions: { basis: basisOf(own.assumptions), ...said } } : {}
}

/** Notes that constants are general, for a file of a framework that no stack is of, as no plans are written for it. */
export function generalNote({ framework }: LaunchReading, own: Fields): string | null {
  if (!leavesStack(own) || writtenFor(framework)) return null
  return 'no stack has its constants: the plan is costed with general ones; assumptions.stack may name another software that runs it so (GET /stacks)'
}

function leavesStack({ assumptions }: Fields): boolean {
  return basisOf(assumptions) !== 'book' && valueAt(assumptions, ['stack']) === undefined
}

/** What the plan alone is costed with: what the request itself assumes is assumed of all plans. */
function costedBy({ costed = {} }: LaunchReading, own: Fields): Fields {
  if (basisOf(own.assumptions) === 'book') return {}
  const open = Object.entries(costed).filter(([name]) => valueAt(own, ['assumptions', name]) === undefined)
  return open.length > 0 ? { costedWith: Object.fromEntries(open) } : {}
}

function basisOf(assumptions: unknown): unknown {
  return typeof assumptions === 'string' ? assumptions : (valueAt(assumptions, ['basis']) ?? 'calibrated')
}

/** What the request says comes before what the file does. */
export function merged(said: Fields, own: Fields): Fields {
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
