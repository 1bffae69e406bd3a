/** Rejects names in `notBoundBy` that nothing on this machine has: they would never rule anything out. */
import type { Cluster } from '../../src/hardware/cluster/cluster.ts'
import { networkUses } from '../../src/plan/account/network-use.ts'
import { bottlenecks } from '../../src/plan/explain/binding.ts'
import type { Requirements } from '../../src/validation/check.ts'
import { nearest } from '../hints/nearest.ts'
import { type Fault, faulty, meaning } from '../problems.ts'

export function refuseUnbinding({ notBoundBy = [] }: Requirements, { chip, network }: Cluster): void {
  const known: readonly string[] = [...bottlenecks, ...networkUses(network)]
  const faults = notBoundBy.flatMap((name, at): Fault[] => {
    if (known.includes(name)) return []
    const pointer = `/require/notBoundBy/${at}`
    const suggestions = nearest(name, known, 1)
    const meant = suggestions.map((one) => `; did you mean ${one}?`).join('')
    const detail = `${chip.name} has no ${name}: plans on it are bound by one of ${known.join(', ')}${meant}`
    return [{ pointer, detail, suggestions, ...meaning(pointer, suggestions) }]
  })
  if (faults.length > 0) throw faulty('unknown-name', faults)
}
