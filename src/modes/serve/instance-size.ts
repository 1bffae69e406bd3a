/** A size of instance, with the instances that it can be: for prefill (prefills.ts) and for generation (generates.ts). */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { InferenceModel } from '../../inference/model.ts'
import { atMost, rememberedWhole } from '../../known.ts'
import { never } from '../../patience.ts'
import type { ServeProblem } from '../../problem.ts'
import type { Seconds } from '../../units.ts'
import { generateInstances } from './generates.ts'
import type { GenerateInstance, InstanceSize, PrefillInstance } from './instance.ts'
import { partOf } from './part.ts'
import { limitsKept } from './part-setting.ts'
import { prefillInstances, prefillsBeside, prefillsHolding } from './prefills.ts'

/** `pooled` is the model compiled for the whole pool, with the framework that is to launch what the size can be. */
export function instanceSize(problem: ServeProblem, pooled: InferenceModel, cluster: Cluster): InstanceSize {
  const part = partOf(problem, pooled, cluster)
  const { promptLength } = problem.workload
  const prefills = rememberedWhole((own: InstanceSize, stop) => prefillInstances(own, stop))
  const holding = rememberedWhole(
    (contextLength: number, stop) => prefillsHolding(size, { promptLength, contextLength }, stop),
    atMost<number, readonly PrefillInstance[]>(limitsKept),
  )
  const generates = rememberedWhole(
    (maxTokenSeconds: Seconds, stop) => generateInstances(size, maxTokenSeconds, stop),
    atMost<Seconds, readonly GenerateInstance[]>(limitsKept),
  )
  const beside = rememberedWhole(
    (generate: GenerateInstance, stop) => prefillsBeside(generate, {}, stop),
    new WeakMap<GenerateInstance, readonly PrefillInstance[]>(),
  )
  const size: InstanceSize = {
    ...{ cluster, part },
    bench: { ...part.bench, servable: pooled.servable },
    prefills: (stop = never) => prefills(size, stop),
    prefillsHolding: ({ contextLength }, stop = never) => holding(contextLength, stop),
    generates: (maxTokenSeconds, stop = never) => generates(maxTokenSeconds, stop),
    prefillsBeside: (generate, stop = never) => beside(generate, stop),
  }
  return size
}
