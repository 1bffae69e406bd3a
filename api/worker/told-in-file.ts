/** What changes of a request mean in the launch file that it was read from. */
import { inFile } from '../../src/launch/in-file.ts'
import type { LaunchReading } from '../../src/launch/read/reading.ts'
import { lacksMemoryAlone } from '../../src/launch/server/rules.ts'
import type { Trial, Verdict } from '../../src/modes/question.ts'
import type { ServePlan } from '../../src/plan/inference-plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import type { Change } from '../../src/rules/part-rule.ts'
import { lackingBeside } from '../../src/validation/costed-with.ts'
import { changed } from '../hints/change.ts'
import type { EvaluateAsked, EvaluateRequest, EvaluateServeRequest } from '../schemas/evaluate.ts'
import { isLaunch } from '../schemas/launch.ts'
import type { LaunchRead } from '../schemas/launch-read.ts'
import type { ValidateAsked } from '../schemas/validate.ts'
import type { ToldInFile } from '../translate/answer/check.ts'
import { launchKey } from '../translate/launch/file.ts'
import { valueAt } from '../validation/json-pointer.ts'

/** Costs a changed request, to see what its launch would be; null if time is up. */
export type Costs = (request: EvaluateRequest | EvaluateServeRequest) => Verdict | null

interface OfFile {
  readonly request: EvaluateRequest | EvaluateServeRequest
  readonly trial: Trial
  readonly plan: Plan | ServePlan
}

export function changesToldIn(
  read: LaunchRead,
  { text, reading }: { readonly text: string; readonly reading: LaunchReading | null },
  { request, trial, plan }: OfFile,
  costs: Costs,
): ToldInFile {
  const { costedWith } = trial
  const { workload } = trial.problem
  // A server has no settings for a plan that does not fit: both are then written as for chips with room.
  const short = lacksMemoryAlone(plan.launch[read.framework])
  const launched = (changes: readonly Change[]) => {
    const whole = changed(request, short ? [...changes, ...room] : changes)
    const verdict = costs(whole as OfFile['request'])
    if (!verdict || !('plan' in verdict)) return null
    return { settings: verdict.plan.launch, lacking: lackingIn(whole) }
  }
  const lackingIn = (whole: unknown) =>
    costedWith ? lackingBeside(costedWith, Object.keys(valueAt(whole, ['plan', 'costedWith']) ?? {})) : []
  const most = trial.mode === 'serve' || ('batchSequences' in workload && workload.batchSequences === 'max')
  const counted = typeof request.hardware.chip === 'string' && !most
  const asRead = { settings: plan.launch, lacking: lackingIn(request) }
  const file = { ...read, text, follows: reading?.follows ?? [], ofTasks: reading?.tasks !== undefined }
  const before = short ? (counted ? launched([]) : null) : asRead
  return (changes) => {
    const set = optionsFor(changes, reading?.written)
    if (set) return { inFile: { set, unset: [] } }
    // A server is told neither: where such a change fits, the file as it is keeps it.
    if (changes.every(({ pointer }) => unsaid.test(pointer))) return {}
    const after = before && launched(changes)
    const found = after && inFile(file, before, after)
    return found ? { inFile: found } : {}
  }
}

/** Null where a change is of a field that no option sets alone. */
function optionsFor(
  changes: readonly Change[],
  written: LaunchReading['written'] = {},
): readonly string[] | null {
  const words = changes.map(({ pointer, value }) => {
    const [only] = typeof value === 'object' && value !== null ? Object.values(value) : [value]
    return written[pointer]?.replace('{}', String(only))
  })
  return words.every((word) => word !== undefined) ? words : null
}

/** What is asked of a server, of which its command says nothing. */
const unsaid = /^\/workload\/(requestsPerSecond|max\w+Seconds)$/

const room = [
  { pointer: '/hardware/hbmBytes', value: 1e14 },
  { pointer: '/memoryBudget', value: null },
]

/** The text of a launch file; empty if there is none. */
export function fileOf(asked: EvaluateAsked | ValidateAsked): string {
  if (!isLaunch(asked)) return ''
  const written: unknown = asked.plan[launchKey(asked.plan)]
  return typeof written === 'string'
    ? written
    : JSON.stringify(written).replaceAll('\\n', '\n').replaceAll('\\"', '"')
}
