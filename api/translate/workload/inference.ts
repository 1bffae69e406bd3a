/** Turns inference workloads of a request into those of the domain: fills defaults in, and checks lengths against each other. */
import type { Transformer } from '../../../src/model/transformer.ts'
import { longestOf } from '../../../src/modes/serve/requests.ts'
import type { GenerateWorkload, PrefillWorkload, ServeWorkload } from '../../../src/problem.ts'
import type { Catalogue } from '../../catalogue.ts'
import { faultyValue, meaning } from '../../problems.ts'
import type { GenerateRequest } from '../../schemas/workload/generate-workload.ts'
import type { PrefillRequest } from '../../schemas/workload/prefill-workload.ts'
import type { ServeRequest } from '../../schemas/workload/serve-workload.ts'
import { servedSpeculationOf, speculationOf } from './speculation.ts'

interface Resolved<Workload> {
  readonly workload: Workload
  readonly warnings: readonly string[]
}

export function prefillOf(request: PrefillRequest): PrefillWorkload {
  refuseFullPrefix(request)
  const { promptLength, contextLength } = request
  if (contextLength !== undefined) refuseShorter(contextLength, promptLength + 1, 'a prompt and a token')
  return request
}

export function serveOf(
  { speculative, ...request }: ServeRequest,
  model: Transformer,
  catalogue: Catalogue,
): Resolved<ServeWorkload> {
  refuseFullPrefix(request)
  const contextLength = longestOf(request)
  const least = request.promptLength + request.outputLength
  refuseShorter(contextLength, least, 'a mean request: no mean is over the most')
  const likely = likelyMilliseconds(request)
  if (!speculative) return { workload: request, warnings: likely }
  const { speculation, warnings } = servedSpeculationOf(speculative, model, catalogue)
  return { workload: { ...request, speculative: speculation }, warnings: [...likely, ...warnings] }
}

function refuseShorter(contextLength: number, least: number, what: string): void {
  if (contextLength >= least) return
  const pointer = '/workload/contextLength'
  const detail = `${contextLength} is less than the ${least} positions of ${what}`
  throw faultyValue('impossible-combination', { pointer, detail, ...meaning(pointer, [least]) })
}

/** Seconds above which a limit makes no sense for a service that people wait for, so that milliseconds were probably meant. */
const plausibleSeconds = { maxTimeToFirstTokenSeconds: 120, maxTimePerOutputTokenSeconds: 5 } as const

type Limits = Pick<ServeRequest, keyof typeof plausibleSeconds>

function likelyMilliseconds(request: Limits): readonly string[] {
  return Object.entries(plausibleSeconds).flatMap(([name, most]) => {
    const limit = request[name as keyof typeof plausibleSeconds]
    if (limit === undefined || limit <= most) return []
    return [`${name} ${limit} is taken as ${limit} s: seconds are meant; ${limit / 1000} if ${limit} ms was`]
  })
}

export function generateOf(
  { speculative, ...request }: GenerateRequest,
  model: Transformer,
  catalogue: Catalogue,
): Resolved<GenerateWorkload> {
  const { contextLength, meanContextLength = contextLength } = request
  if (meanContextLength > contextLength) {
    const detail = `${meanContextLength} is more than the contextLength of ${contextLength}: no mean is over the most`
    throw faultyValue('impossible-combination', { pointer: '/workload/meanContextLength', detail })
  }
  const workload = { ...request, meanContextLength }
  if (!speculative) return { workload, warnings: [] }
  const { speculation, warnings } = speculationOf(speculative, model, catalogue)
  return { workload: { ...workload, speculative: speculation }, warnings }
}

type PromptsRead = Pick<PrefillRequest, 'cachedPrefixLength' | 'promptLength'>

function refuseFullPrefix({ cachedPrefixLength, promptLength }: PromptsRead): void {
  if (cachedPrefixLength < promptLength) return
  const detail = `${cachedPrefixLength} of a prompt of ${promptLength} leaves nothing to compute: at most ${promptLength - 1} can be cached, as the last position gives the first token`
  throw faultyValue('impossible-combination', { pointer: '/workload/cachedPrefixLength', detail })
}
