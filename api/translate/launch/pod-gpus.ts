/** GPUs that a manifest of Kubernetes gives each container that has some. */
import { isFields } from '../../../src/fields.ts'
import { documentsOf } from './manifest.ts'

const resources = ['nvidia.com/gpu', 'amd.com/gpu']
const deepest = 30

/** Undefined for any other text, and where containers have none or differ. */
export function podGpus(written: unknown): number | undefined {
  const documents = typeof written === 'string' ? documentsOf(written) : null
  const [count, ...rest] = new Set((documents ?? []).flatMap((one) => limitsIn(one, 0)))
  return rest.length === 0 ? count : undefined
}

function limitsIn(value: unknown, depth: number): readonly number[] {
  if (typeof value !== 'object' || value === null || depth > deepest) return []
  const inside = Object.values(value).flatMap((one) => limitsIn(one, depth + 1))
  if (!isFields(value) || !isFields(value.limits)) return inside
  const { limits } = value
  const own = resources
    .map((name) => Number(limits[name]))
    .filter((count) => Number.isInteger(count) && count > 0)
  return [...own, ...inside]
}
