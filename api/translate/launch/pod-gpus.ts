/** GPUs that a command is given where it runs: by the limits of its container, by what starts the container, or by a variable. */
import { isFields } from '../../../src/fields.ts'
import { engineSpecsIn } from './described.ts'
import { documentsOf } from './manifest.ts'

const resources = ['nvidia.com/gpu', 'amd.com/gpu']
const deepest = 30

/** Undefined where a text says none, or several that differ. */
export function podGpus(written: unknown): number | undefined {
  if (typeof written !== 'string') return undefined
  const documents = documentsOf(written)
  const found = documents
    ? documents.flatMap(gpusIn)
    : [...engineSpecsIn(written).flatMap(requested), ...visibleIn(written)]
  const [count, ...rest] = new Set(found)
  return rest.length === 0 ? count : undefined
}

/** Of each container inside of it. */
export function gpusIn(value: unknown): readonly number[] {
  return limitsIn(value, 0)
}

function limitsIn(value: unknown, depth: number): readonly number[] {
  if (typeof value !== 'object' || value === null || depth > deepest) return []
  const inside = Object.values(value).flatMap((one) => limitsIn(one, depth + 1))
  if (!isFields(value)) return inside
  const { limits, reservations } = value
  const own = isFields(limits) ? resources.map((name) => Number(limits[name])) : []
  return [...own.filter(isCount), ...reservedIn(reservations), ...inside]
}

/** Devices of docker compose, by their number or their names (docs.docker.com/compose, "GPU access"). */
function reservedIn(reservations: unknown): readonly number[] {
  const devices = isFields(reservations) && Array.isArray(reservations.devices) ? reservations.devices : []
  return devices
    .filter(isFields)
    .filter(({ capabilities }) => [capabilities].flat(2).includes('gpu'))
    .map(({ count, device_ids: names }) => (Array.isArray(names) ? names.length : Number(count)))
    .filter(isCount)
}

/** Of an engine of vLLM's production-stack (helm/values.yaml), but for a cluster of Ray, whose pods each have as many. */
function requested({ requestGPU, raySpec }: Readonly<Record<string, unknown>>): readonly number[] {
  const staged = isFields(raySpec) && raySpec.enabled === true
  return staged ? [] : [Number(requestGPU)].filter(isCount)
}

const variables = /\b(?:CUDA|NVIDIA|HIP|ROCR)_VISIBLE_DEVICES=(["']?)(\d+(?:,\d+)*)\1(?![\w,$-])/g
const started = /\b(?:docker|podman|nerdctl) run\b[^\n]*?--gpus[= ]+["']*(?:device=(\d+(?:,\d+)*)|(\d+)\b)/g

/** Of scripts: what a variable leaves visible, and what a container is started with. */
function visibleIn(text: string): readonly number[] {
  const joined = text.replaceAll(/\\\n/g, ' ')
  const named = [...joined.matchAll(variables)].map(([, , names = '']) => names.split(',').length)
  const given = [...joined.matchAll(started)].map(([, names, count]) =>
    names === undefined ? Number(count) : names.split(',').length,
  )
  return [...named, ...given].filter(isCount)
}

function isCount(count: number): boolean {
  return Number.isInteger(count) && count > 0
}
