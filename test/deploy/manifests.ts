/** The manifests of deploy/kubernetes, by kind. */
import { readFileSync } from 'node:fs'
import type { Deployment } from 'kubernetes-types/apps/v1'
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2'
import type { Service } from 'kubernetes-types/core/v1'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1'
import { parse } from 'yaml'

const folder = new URL('../../deploy/kubernetes/', import.meta.url)

export interface Manifests {
  readonly Deployment: Deployment
  readonly Service: Service
  readonly HorizontalPodAutoscaler: HorizontalPodAutoscaler
  readonly PodDisruptionBudget: PodDisruptionBudget
}

const read = (file: string): unknown => parse(readFileSync(new URL(file, folder), 'utf8'), { merge: false })

export const resources = (read('kustomization.yaml') as { readonly resources: readonly string[] }).resources

export const documents = resources.map((file) => read(file) as { readonly kind: keyof Manifests })

export const manifests = Object.fromEntries(
  documents.map((document) => [document.kind, document]),
) as unknown as Manifests
