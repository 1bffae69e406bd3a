/** A size of instance, with the instances that it can be: for prefill (prefills.ts) and for generation (generates.ts). */
import type { Cluster } from '../../hardware/cluster/cluster.ts'
import type { InferenceModel } from '../../inference/model.ts'
import { known, rememberedWhole } from '../../known.ts'
import { never, type Stop } from '../../patience.ts'
import type { ServeProblem } from '../../problem.ts'
import type { Seconds } from '../../units.ts'
import { generateInstances } from './generates.ts'
import type { GenerateInstance, InstanceSize, PrefillInstance, ReadLengths } from './instance.ts'
import { partOf } from './part.ts'
import { prefillInstances, prefillsBeside, prefillsHolding } from './prefills.ts'

/** `pooled` is the model compiled for the whole pool, with the framework that is to launch what the size can be. */
export function instanceSize(problem: ServeProblem, pooled: InferenceModel, cluster: Cluster): InstanceSize {
  const part = partOf(problem, pooled, cluster)
  const prefills = rememberedWhole((own: InstanceSize, stop) => prefillInstances(own, stop))
  const holding = new Map<number, (own: InstanceSize, stop: Stop) => readonly PrefillInstance[]>()
  const prefillsFor = (lengths: ReadLengths) =>
    known(holding, lengths.contextLength, () =>
      rememberedWhole((own: InstanceSize, stop) => prefillsHolding(own, lengths, stop)),
    )
  const generates = rememberedWhole((maxTokenSeconds: Seconds, stop) =>
    generateInstances(size, maxTokenSeconds, stop),
  )
  const beside = rememberedWhole((generate: GenerateInstance, stop) => prefillsBeside(generate, {}, stop))
  const size: InstanceSize = {
    ...{ cluster, part },
    bench: { ...part.bench, servable: pooled.servable },
    prefills: (stop = never) => prefills(size, stop),
    prefillsHolding: (lengths, stop = never) => prefillsFor(lengths)(size, stop),
    generates: (maxTokenSeconds, stop = never) => generates(maxTokenSeconds, stop),
    prefillsBeside: (generate, stop = never) => beside(generate, stop),
  }
  return size
}
