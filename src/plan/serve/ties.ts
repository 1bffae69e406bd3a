/** How deployments are compared: by the chips that a rate takes, or by the time of a request on the whole pool. */
import type { ServeProblem } from '../../problem.ts'
import { octavesBetween } from '../certainty/octaves.ts'
import type { Comparing } from '../certainty/ties.ts'
import type { ServePlan } from '../inference-plan.ts'

/** Undefined where nothing is known of differences. */
export function comparingDeployments({
  residuals,
  workload,
}: ServeProblem): Comparing<Pick<ServePlan, 'chips' | 'queueing' | 'prefill' | 'generate'>> | undefined {
  const atRate = workload.requestsPerSecond !== undefined
  return (
    residuals && {
      ...{ differences: residuals.differences.inference, growth: residuals.differences.growth },
      slowness: ({ chips, queueing }) => (atRate ? chips : 1 / queueing.arrivalsPerSecond),
      octaves: (one, other) =>
        octavesBetween(one.prefill.mesh, other.prefill.mesh) +
        octavesBetween(one.generate.mesh, other.generate.mesh),
    }
  )
}
