/**
 * What a server is told of speculative decoding: how many tokens are drafted in a step, and what drafts them. That is not a part of a plan but for
 *
 *   layers   the model's own layers for further tokens (MTP), which its checkpoint has beside the others
 *   model    a model of its own, whose checkpoint the user names, in the request or as the shell's variable DRAFT
 *   head     anything else, such as a head of EAGLE: a server starts without it unless somebody adds it
 */
import type { Transformer } from '../../model/transformer.ts'
import type { InferenceProblem, InferenceWorkload, Setting, Speculation } from '../../problem.ts'
import { shellWord } from '../start.ts'

export interface Drafts {
  readonly tokens: number
  readonly by: 'layers' | 'model' | 'head'
  /** Of a model of its own. */
  readonly name: string | null
  /** Its checkpoint, where the request names one. */
  readonly release: string | null
}

/** Null where nothing is drafted. */
export function draftsOf(
  model: Transformer,
  speculative: Speculation | undefined,
  tokens: number | undefined,
): Drafts | null {
  if (!speculative || !tokens) return null
  const { draft, release = null } = speculative
  const own = 'costRatio' in draft ? null : draft
  if (own && own.layers > Math.max(1, model.multiTokenLayers)) {
    return { tokens, by: 'model', name: own.name, release }
  }
  return { tokens, by: model.multiTokenLayers > 0 ? 'layers' : 'head', name: null, release: null }
}

/** As a request asks for them, where it says how many. */
export function draftsAsked({
  model,
  workload,
}: Pick<Setting, 'model'> & Partial<Pick<InferenceProblem, 'workload'>>): Drafts | null {
  const speculative = workload && speculativeOf(workload)
  return draftsOf(model, speculative, speculative?.tokens)
}

export function speculativeOf(workload: InferenceWorkload): Speculation | undefined {
  return workload.mode === 'prefill' ? undefined : workload.speculative
}

/** Whether a command alone can say where the draft's checkpoint is. */
export function isUnnamed({ by, release }: Drafts): boolean {
  return by === 'model' && release === null
}

/** A name that comes from the user is left out if it has characters that a shell would interpret. */
const plain = /^[\w ./:+-]+$/

export function draftWord({ name, release }: Drafts): string {
  if (release !== null) return shellWord(release)
  return `"\${DRAFT:?a checkpoint of ${name !== null && plain.test(name) ? name : 'the draft'}}"`
}

/** Beside a server that starts without a head that is planned; `how` says what adds it. */
export function headNote(
  drafts: Drafts | null,
  framework: string,
  how: (tokens: number) => string,
): string | null {
  if (drafts?.by !== 'head') return null
  return `${framework} is started without drafts, which the plan counts on: the request does not name what drafts them, which ${how(drafts.tokens)} would.`
}
