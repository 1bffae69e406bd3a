/**
 * The instances that one size can be: for prefill (prefills.ts) and for generation (generates.ts). A sequence's cache has room for prompt
 * and output, and on average holds the prompt and half of the output.
 */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { InferenceModel } from '../../inference/model.ts'
import { never, type Stop } from '../../patience.ts'
import type { ServeProblem } from '../../problem.ts'
import { generateInstances } from './generates.ts'
import type { GenerateInstance, InstanceSize, PrefillInstance } from './instance.ts'
import { partOf } from './part.ts'
import { prefillInstances, prefillsBeside } from './prefills.ts'

/** `pooled` is the model compiled for the whole pool, with the framework that is to launch what the size can be. */
export function instanceSize(problem: ServeProblem, pooled: InferenceModel, cluster: Cluster): InstanceSize {
  const part = partOf(problem, pooled, cluster)
  const { prefillProblem, generateProblem } = part
  const prefills = whole((_, stop) => prefillInstances(size, stop))
  const beside = new WeakMap<GenerateInstance, ReturnType<typeof whole<PrefillInstance>>>()
  const size: InstanceSize = {
    ...{ cluster, part, prefillProblem, generateProblem },
    bench: { ...part.bench, servable: pooled.servable },
    prefills: (stop) => prefills(0, stop),
    generates: whole((maxStepSeconds, stop) => generateInstances(size, maxStepSeconds, stop)),
    prefillsBeside: (generate, stop) => {
      const found = beside.get(generate) ?? whole((_, end) => prefillsBeside(generate, {}, end))
      beside.set(generate, found)
      return found(0, stop)
    },
  }
  return size
}

/** Caches results by number, except those that a stop cut short. */
function whole<Found>(
  make: (count: number, stop: Stop) => readonly Found[],
): (count: number, stop?: Stop) => readonly Found[] {
  const known = new Map<number, readonly Found[]>()
  return (count, stop = never) => {
    const found = known.get(count) ?? make(count, stop)
    if (!stop()) known.set(count, found)
    return found
  }
}
