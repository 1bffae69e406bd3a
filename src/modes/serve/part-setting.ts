/**
 * What parts of a pool hang on: the model, the kind of chip, types, budget and lengths of requests, and not the rate of these, limits on time, the chips of the
 * pool or what is listed, which are what somebody varies who plans a deployment. What is found of parts is kept by it between requests.
 */
import { present } from '../../fields.ts'
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import { rememberedOf } from '../../known.ts'
import type { ServeProblem, ServeWorkload, Setting } from '../../problem.ts'
import { lastingFrom, recent, valueKey } from '../../recent.ts'

/** Beside its own chips. */
export interface PartSetting extends Omit<Setting, 'cluster'> {
  readonly lengths: Pick<
    ServeWorkload,
    'promptLength' | 'outputLength' | 'cachedPrefixLength' | 'speculative'
  >
}

export function partSetting(problem: ServeProblem): PartSetting {
  const { cluster: _, asked, top, distinct, recipes, workload, ...setting } = problem
  const { promptLength, outputLength, cachedPrefixLength, speculative } = workload
  return {
    ...setting,
    lengths: { promptLength, outputLength, cachedPrefixLength, ...present({ speculative }) },
  }
}

/** Values by text, which are the same map for all problems whose parts are alike, and for one problem however many others come meanwhile. */
export function keptByPartSetting<Value>(): (problem: ServeProblem) => Map<string, Value> {
  // Tables of what was measured are thousands of rows, and the same for all requests of a service.
  const bySetting = lastingFrom(() => rememberedOf((_: object) => recent<Map<string, Value>>(settingsKept)))
  return rememberedOf((problem) => {
    const { residuals = none, ...others } = partSetting(problem)
    const key = valueKey([others, problem.cluster.chip])
    const before = bySetting()(residuals).get(key)
    if (before && before.size <= valuesKept) return before
    const made = new Map<string, Value>()
    bySetting()(residuals).set(key, made)
    return made
  })
}

const none = {}

/** What tells the parts of such problems apart, whose chips are of one kind. */
export const partText = rememberedOf(({ chip: _, ...part }: Cluster) => JSON.stringify(part))

/**
 * For how many settings this is kept, and how many values of each: a request has one for each server that may launch its deployments, whose assumptions differ,
 * and pools of other sizes have other parts.
 */
const [settingsKept, valuesKept] = [8, 64]

/** For how many limits on a token, and lengths of the longest request, a part keeps what hangs on them. */
export const limitsKept = 16
