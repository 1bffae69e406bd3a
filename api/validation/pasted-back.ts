/** Refuses what answers have under a framework's name that is no launch file: read as one it would be keys that nobody understands, beside a plan of defaults. */
import type { z } from 'zod'
import { type Fault, faulty } from '../problems.ts'
import { launchKeys } from '../schemas/launch.ts'
import { phaseMode } from '../schemas/names.ts'
import { launchesApart, refusedLaunch } from '../schemas/pasted-back.ts'
import { jsonPointer, valueAt } from './json-pointer.ts'
import { validated } from './request-validation.ts'

/** A request with a launch file. */
export function launchValidated<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const faults = launchKeys.flatMap((key) => pastedBack(key, valueAt(body, ['plan', key])))
  if (faults.length > 0) throw faulty('invalid-request', faults)
  return validated(schema, body)
}

function pastedBack(key: string, written: unknown): readonly Fault[] {
  const pointer = jsonPointer(['plan', key])
  const refused = refusedLaunch.safeParse(written)
  if (refused.success) {
    const why = refused.data.unsupported.join('; ').slice(0, longestShown)
    return [{ pointer, detail: `is no launch file: this is why the framework cannot run the plan: ${why}` }]
  }
  if (!launchesApart.safeParse(written).success) return []
  const names = phaseMode.options.join(' and ')
  return [
    { pointer, detail: `these are two servers, ${names}: send one of them, with its name as workload.mode` },
  ]
}

const longestShown = 200
