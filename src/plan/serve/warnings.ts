/** Warnings about the assumptions behind a deployment's numbers. */

import { servers } from '../../launch/framework.ts'
import { serversOf } from '../../launch/serving.ts'
import { mostUtilization } from '../../modes/serve/requests.ts'
import type { InferenceProblem, ServeWorkload } from '../../problem.ts'
import { offCentre } from '../certainty/off-centre.ts'
import { kindWarning } from '../explain/launch-warning.ts'
import type { ServePlan } from '../inference-plan.ts'

/** `filtered` says whether the list has only deployments that can be launched. */
export function serveWarnings(
  problem: InferenceProblem<ServeWorkload>,
  best: ServePlan | null,
  filtered: boolean,
): readonly string[] {
  const { model, assumptions, cluster, workload } = problem
  const { promptLength, outputLength, cachedPrefixLength, requestsPerSecond } = workload
  const found = [
    ...kindWarning(assumptions.frameworks, serversOf(problem, servers), 'serves a model from such chips'),
  ]
  const assumed = serversOf(problem, assumptions.frameworks)
  if (best && !filtered && assumed.length > 0) {
    found.push(
      `none of ${assumed.join(', ')} can launch a deployment for this request: all are listed the same; launch says why`,
    )
  }
  const length = promptLength + outputLength
  if (model.maxSequenceLength !== undefined && length > model.maxSequenceLength) {
    found.push(
      `${length} positions are more than the ${model.maxSequenceLength} that ${model.name} was made for`,
    )
  }
  found.push(
    'waits are means of Poisson arrivals; bursts, and the slowest requests of a hundred, wait longer',
    'prompt and output lengths stand for their means; requests hold caches of the prompt and half of the output on average',
    ...(best && workload.contextLength === undefined
      ? [
          `servers are told to take requests of up to ${best.contextLength} positions: where the longest are longer, say so as workload.contextLength`,
        ]
      : []),
    `no instance is planned to be busier than ${mostUtilization} of what it can sustain`,
  )
  if (best) {
    const { prefill, generate } = best
    found.push(
      ...offCentre('prefill', prefill.uncertainty),
      ...offCentre('a step of generation', generate.uncertainty),
      ...offCentre('a deployment', best.uncertainty),
    )
  }
  if (requestsPerSecond === undefined) {
    found.push(
      'no rate was given: the pool is filled, and deployments are ranked by the requests a second that it then sustains',
    )
  }
  if (cachedPrefixLength > 0) {
    found.push(
      `each prompt is taken to find ${cachedPrefixLength} of its ${promptLength} positions cached on the instance that prefills it`,
    )
  }
  if (best?.disaggregated === false) {
    found.push(
      'a step with a chunk of prefill in it is taken to last as long as both one after another, and chunks to run as fast as whole prompts',
    )
  }
  if (cluster.network.kind === 'torus' && best?.disaggregated) {
    found.push('keys and values go between slices over the data-centre network, not over ICI')
  }
  if (assumptions.basis === 'calibrated' && cluster.chip.kind === 'tpu') {
    found.push(
      'TPU efficiencies and overheads are stated starting values, not fitted to measurements of inference',
    )
  }
  return found
}
