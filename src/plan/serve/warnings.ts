/** Warnings about the assumptions behind a deployment's numbers. */
import { compact } from '../../compact.ts'
import { serversOf } from '../../launch/serving.ts'
import { mostUtilization } from '../../modes/serve/requests.ts'
import type { ServeProblem, ServeWorkload } from '../../problem.ts'
import { offCentre } from '../certainty/off-centre.ts'
import { unmeasuredText } from '../certainty/unmeasured.ts'
import { counted, percent, secondsText } from '../explain/figures.ts'
import { lengthWarning, serverWarning, unfittedWarning } from '../explain/served-warnings.ts'
import type { ServePlan } from '../inference-plan.ts'

/** `filtered` says whether the list has only deployments that can be launched. */
export function serveWarnings(
  problem: ServeProblem,
  best: ServePlan | null,
  filtered: boolean,
): readonly string[] {
  const { model, assumptions, cluster, workload } = problem
  const { promptLength, outputLength, cachedPrefixLength, requestsPerSecond } = workload
  const assumed = serversOf(problem, assumptions.frameworks)
  return compact(
    serverWarning(problem),
    best &&
      !filtered &&
      assumed.length > 0 &&
      `none of ${assumed.join(', ')} can launch a deployment for this request: deployments are listed nevertheless, and launch says why`,
    lengthWarning(model, promptLength + outputLength),
    'waits are means for Poisson arrivals; in bursts, and at the 99th percentile, requests wait longer',
    'promptLength and outputLength are taken as means; on average a request holds the cache of its prompt and half of its output',
    best &&
      workload.contextLength === undefined &&
      `servers are told to take requests of up to ${best.contextLength} positions: where the longest are longer, say so as workload.contextLength`,
    best &&
      best.longestPositions > 0 &&
      best.longestPositions < best.contextLength &&
      `a server has room for one request of ${best.longestPositions} positions: longer ones, of up to the ${best.contextLength} that it is told, are refused or cut short`,
    `instances are planned to be busy for at most ${mostUtilization} of the time`,
    best && offCentre('prefill', best.prefill.uncertainty),
    best && offCentre('a step of generation', best.generate.uncertainty),
    best && offCentre('a deployment', best.uncertainty),
    best && unmeasuredText(problem),
    best && gapWarning(best, workload),
    workload.speculative && undrafted,
    best && hurtWarning(best),
    requestsPerSecond === undefined &&
      'the request has no rate: the whole pool is filled, and deployments are ranked by the requests per second that it sustains',
    cachedPrefixLength > 0 &&
      `each prompt is assumed to find ${cachedPrefixLength} of its ${promptLength} positions cached on the instance that prefills it`,
    best?.disaggregated === false &&
      'a step that includes a chunk of prefill is assumed to take as long as both one after the other, and chunks are assumed to run as fast as whole prompts',
    best?.disaggregated &&
      cluster.network.kind === 'torus' &&
      'keys and values are sent between slices over the data-centre network, not over ICI',
    unfittedWarning(problem),
  )
}

const undrafted =
  'what drafts tokens reads prompts too, and keeps weights and caches of its own: neither that time nor that memory is counted'

function hurtWarning({ generate: { speculation, batchSequences } }: ServePlan): string | false {
  if (!speculation || speculation.speedup >= 1) return false
  return `speculation makes ${counted(batchSequences, 'sequence')} of a generate instance ${percent(1 - speculation.speedup)} slower: fewer tokens a step, or a request without workload.speculative, may take fewer chips`
}

/** Beside a limit, which is on the mean, where the longest step is over it; without one, where streams halt for a second. */
function gapWarning(
  { longestTokenSeconds, timePerOutputTokenSeconds, generate }: ServePlan,
  { maxTimePerOutputTokenSeconds: limit }: ServeWorkload,
): string | false {
  // The limit of a step is that of all the tokens that it gives a sequence.
  const most = limit === undefined ? 1 : limit * (generate.speculation?.expectedTokensPerStep ?? 1)
  if (longestTokenSeconds === null || longestTokenSeconds <= most) return false
  return `a token comes ${secondsText(timePerOutputTokenSeconds)} after the last on average, and ${secondsText(longestTokenSeconds)} where the step reads a chunk of prompts: limits are on the mean, and fewer stepTokens in a plan make such steps shorter`
}
