/**
 * What a manifest gives a whole job, or a whole server, beyond the one container that is read: the pods of a Job or a JobSet, and the GPUs
 * of a LeaderWorkerSet's group, of a worker of Dynamo over its nodes, or of a task of SkyPilot over its own. Source: kubernetes-sigs/jobset,
 * api/jobset/v1alpha2 (replicatedJobs, replicas); kubernetes, batch/v1 (parallelism, completions); ai-dynamo/dynamo, deploy/operator,
 * DynamoGraphDeployment (multinode.nodeCount).
 */
import { type Fields, isFields } from '../../../src/fields.ts'
import { gpusOfTasks } from './described.ts'
import { documentsOf } from './manifest.ts'
import { gpusIn } from './pod-gpus.ts'

type Count = (spec: Fields) => number | undefined

/** Pods that run at once, by the kind of a document. */
const podsOf: Readonly<Record<string, Count>> = {
  Job: (spec) => {
    const [at, all] = [countOf(spec.parallelism ?? 1), countOf(spec.completions ?? spec.parallelism ?? 1)]
    return at === undefined || all === undefined ? undefined : Math.min(at, all)
  },
  JobSet: ({ replicatedJobs }) =>
    sum(
      listed(replicatedJobs)
        .filter((job) => gpusIn(job).length > 0)
        .map(({ replicas, template }) => {
          const [copies, pods] = [countOf(replicas ?? 1), podsOf.Job?.(specOf(template))]
          return copies === undefined || pods === undefined ? undefined : copies * pods
        }),
    ),
}

/** GPUs of one server, by the kind of a document: the most that any of its servers has. */
const gpusOf: Readonly<Record<string, Count>> = {
  LeaderWorkerSet: ({ leaderWorkerTemplate: group }) => {
    const [gpus, ...others] = new Set(gpusIn(group))
    const pods = isFields(group) ? countOf(group.size ?? 1) : undefined
    return gpus === undefined || others.length > 0 || pods === undefined ? undefined : gpus * pods
  },
  DynamoGraphDeployment: ({ services, components }) => {
    const workers = Array.isArray(components)
      ? listed(components)
      : Object.values(services ?? {}).filter(isFields)
    const most = workers.map((worker) => {
      const { multinode, resources } = worker
      const limits = isFields(resources) && isFields(resources.limits) ? resources.limits : {}
      const nodes = isFields(multinode) ? countOf(Number(multinode.nodeCount ?? 1)) : 1
      return Math.max(0, Number(limits.gpu ?? 0), ...gpusIn(worker)) * (nodes ?? Number.NaN)
    })
    return countOf(Math.max(...most))
  },
}

/** Pods that the one job of a manifest is given; undefined where it does not say, or has several. */
export function podsOfJob(written: unknown): number | undefined {
  return saidOnce(written, podsOf)
}

/** GPUs that a server of a manifest, or of a task, can have at most; undefined where it does not say. */
export function gpusOfServer(written: unknown): number | undefined {
  return saidOnce(written, gpusOf) ?? (typeof written === 'string' ? gpusOfTasks(written) : undefined)
}

function saidOnce(written: unknown, kinds: Readonly<Record<string, Count>>): number | undefined {
  if (typeof written !== 'string') return undefined
  const [own, ...others] = (documentsOf(written) ?? [])
    .filter(isFields)
    .filter(({ kind }) => Object.hasOwn(kinds, String(kind)))
    .filter((document) => !/^batch\.volcano/.test(String(document.apiVersion)))
  return own && others.length === 0 ? kinds[String(own.kind)]?.(specOf(own)) : undefined
}

function specOf(value: unknown): Fields {
  return isFields(value) && isFields(value.spec) ? value.spec : {}
}

function listed(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

function sum(counts: readonly (number | undefined)[]): number | undefined {
  return counts.length === 0
    ? undefined
    : counts.reduce((all, one) => (all === undefined || one === undefined ? undefined : all + one), 0)
}

function countOf(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) > 0 ? Number(value) : undefined
}
