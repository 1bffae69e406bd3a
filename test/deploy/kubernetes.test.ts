import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { settingsFrom } from '../../api/settings.ts'
import { service } from '../http/service.ts'
import { documents, manifests, resources } from './manifests.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

const modules = {
  Deployment: 'apps/v1',
  Service: 'core/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  PodDisruptionBudget: 'policy/v1',
} as const

/** The definitions of Kubernetes' own OpenAPI document as types: unknown keys, missing ones and wrong values do not compile. */
function compiled(literals: readonly string[]): string {
  const types = Object.entries(modules).map(
    ([kind, path]) => `import type { ${kind} } from 'kubernetes-types/${path}'`,
  )
  const scratch = mkdtempSync(`${root}node_modules/.manifests-`)
  try {
    writeFileSync(`${scratch}/manifests.ts`, [...types, ...literals].join('\n'))
    const tsc = `${root}node_modules/.bin/tsc`
    const flags = ['--noEmit', '--strict', '--noUnusedLocals', 'false', '--ignoreConfig']
    execFileSync(tsc, [...flags, '--module', 'preserve', `${scratch}/manifests.ts`], { encoding: 'utf8' })
    return ''
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout || error)
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

const literal = (kind: string, value: unknown, index: number | string) =>
  `export const m${index}: ${kind} = ${JSON.stringify(value)}`

const containers = () => manifests.Deployment.spec?.template.spec?.containers ?? []

const [container] = containers()

/** What the container is told, with something that a key can be for a secret. */
const variables = Object.fromEntries(
  (container?.env ?? []).map(({ name, value, valueFrom }) => [name, valueFrom ? '0123456789abcdef' : value]),
)

describe('the manifests for Kubernetes', () => {
  it('are as its API has them, and a slip in any of them would be seen', () => {
    const slips = documents.flatMap((document, index) => [
      `// @ts-expect-error an unknown key`,
      literal(document.kind, { ...document, spek: {} }, `${index}a`),
      `// @ts-expect-error a value of another type`,
      literal(
        document.kind,
        { ...document, spec: { ...specOf(document), selector: 'shardplan', maxReplicas: '9' } },
        `${index}b`,
      ),
    ])
    const whole = documents.map((document, index) => literal(document.kind, document, index))
    expect(compiled([...whole, ...slips])).toBe('')
  })

  it('are all that lies there', () => {
    const files = readdirSync(`${root}deploy/kubernetes`).filter((file) => file !== 'kustomization.yaml')
    expect(files.sort()).toEqual([...resources].sort())
    expect(documents.map(({ kind }) => kind).sort()).toEqual(Object.keys(modules).sort())
  })

  it('mean the same pods', () => {
    const { spec } = manifests.Deployment
    const labels = spec?.template.metadata?.labels
    expect(labels).toBeTruthy()
    expect(spec?.selector.matchLabels).toEqual(labels)
    expect(manifests.Service.spec?.selector).toEqual(labels)
    expect(manifests.PodDisruptionBudget.spec?.selector?.matchLabels).toEqual(labels)
    expect(manifests.HorizontalPodAutoscaler.spec?.scaleTargetRef).toMatchObject({
      kind: 'Deployment',
      name: manifests.Deployment.metadata?.name,
    })
  })

  it('set what the service knows, to what it takes', () => {
    const settings = settingsFrom(variables)
    expect(Object.keys(settings)).toEqual(expect.arrayContaining(Object.keys(variables)))
    const ports = Object.fromEntries(
      (container?.ports ?? []).map(({ name, containerPort }) => [name, containerPort]),
    )
    expect(ports).toEqual({ http: settings.PORT, metrics: settings.METRICS_PORT })
    const annotations = manifests.Deployment.spec?.template.metadata?.annotations
    expect(annotations?.['prometheus.io/port']).toBe(String(settings.METRICS_PORT))
    expect(manifests.Service.spec?.ports?.map(({ targetPort }) => targetPort)).toEqual(['http'])
  })

  it('leave a pod that ends the time to answer', () => {
    const grace = manifests.Deployment.spec?.template.spec?.terminationGracePeriodSeconds ?? 0
    const [, seconds] = container?.lifecycle?.preStop?.exec?.command ?? []
    expect(grace).toBeGreaterThan(settingsFrom(variables).DRAIN_SECONDS + Number(seconds))
    // The longest that a request may ask for.
    expect(settingsFrom(variables).DRAIN_SECONDS).toBeGreaterThan(60)
  })

  it('probe paths that answer, without a key', async () => {
    const agent = service({ apiKeys: ['0123456789abcdef'] })
    for (const probe of [container?.startupProbe, container?.readinessProbe, container?.livenessProbe]) {
      expect(probe?.httpGet?.port).toBe('http')
      expect((await agent.get(probe?.httpGet?.path ?? '/nowhere')).status).toBe(200)
    }
  })

  it('scale by a gauge that is told', async () => {
    const { text } = await service().get('/metrics')
    const [metric] = manifests.HorizontalPodAutoscaler.spec?.metrics ?? []
    expect(text).toContain(`# TYPE ${metric?.pods?.metric.name} gauge`)
  })

  it('give the pod no more than it needs', () => {
    expect(containers()).toHaveLength(1)
    expect(manifests.Deployment.spec?.template.spec?.securityContext).toMatchObject({ runAsNonRoot: true })
    expect(container?.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const { THREADS, LIGHT_THREADS, WORKER_MEMORY_MB } = settingsFrom(variables)
    const { requests, limits } = container?.resources ?? {}
    expect(Number(requests?.cpu)).toBe(THREADS + 1)
    expect(Number.parseInt(String(limits?.memory), 10) * 1024).toBeGreaterThan(
      (THREADS + LIGHT_THREADS) * WORKER_MEMORY_MB,
    )
  })
})

function specOf(document: object): object {
  return (document as { readonly spec: object }).spec
}
