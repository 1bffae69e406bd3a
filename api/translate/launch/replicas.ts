/**
 * Servers that a manifest starts: the replicas of a Deployment or a StatefulSet, or the groups of a LeaderWorkerSet, with the GPUs of a group;
 * of values of vLLM's production-stack the replicas of its engine. What scales them by itself takes another number, so that none is said then.
 */
import { type Fields, isFields } from '../../../src/fields.ts'
import type { Started } from '../../../src/launch/read/started.ts'
import { engineSpecsIn } from './described.ts'
import { documentsOf } from './manifest.ts'
import { gpusIn } from './pod-gpus.ts'

const kinds: readonly unknown[] = ['Deployment', 'StatefulSet', 'LeaderWorkerSet']
const scalers: readonly unknown[] = ['HorizontalPodAutoscaler', 'ScaledObject']

/** Undefined where a text starts no servers, or several kinds of them; `gpus` are those of a container (pod-gpus.ts). */
export function startedBy(written: unknown, gpus: number | undefined): Started | undefined {
  if (typeof written !== 'string') return undefined
  const documents = documentsOf(written)?.filter(isFields)
  if (!documents) {
    const [engine, ...others] = engineSpecsIn(written)
    return engine && others.length === 0 ? { servers: countOf(engine.replicaCount), gpus } : undefined
  }
  const [own, ...others] = documents.filter(
    // A router beside the servers is a Deployment too.
    ({ kind, spec }) => kinds.includes(kind) && gpusIn(spec).length > 0,
  )
  if (!own || others.length > 0 || gpus === undefined) return undefined
  const spec = isFields(own.spec) ? own.spec : {}
  const scaled = documents.some(({ kind }) => scalers.includes(kind))
  const { leaderWorkerTemplate: group } = spec
  const pods = isFields(group) ? (countOf(group.size ?? 1) ?? 1) : 1
  return { servers: scaled ? undefined : countOf(spec.replicas), gpus: gpus * pods }
}

function countOf(value: Fields[string]): number | undefined {
  return Number.isInteger(value) && Number(value) > 0 ? Number(value) : undefined
}
