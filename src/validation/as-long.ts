/**
 * The best deployment that a written one is compared with takes requests as long as that takes: what a file says of its longest request is no choice of
 * a plan, and a server without room for it, or told a shorter one, would refuse what the file's serves.
 */
import type { ServeSketch } from '../plan-sketch.ts'
import type { ServeProblem } from '../problem.ts'

export function asLong(problem: ServeProblem, { contextLength }: ServeSketch): ServeProblem {
  const { workload } = problem
  const { promptLength, outputLength } = workload
  // One that is too short for a mean request is told as a fault of the plan.
  if (contextLength === undefined || contextLength < promptLength + outputLength) return problem
  return contextLength === workload.contextLength
    ? problem
    : { ...problem, workload: { ...workload, contextLength } }
}
