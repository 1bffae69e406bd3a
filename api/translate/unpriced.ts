/** Cost per token is no objective where nobody says what the chip costs. */
import type { Setting } from '../../src/problem.ts'
import { faultyValue } from '../problems.ts'

export function refuseUnpriced({ objective, cluster }: Pick<Setting, 'objective' | 'cluster'>): void {
  const { name, usdPerHour } = cluster.chip
  if (objective !== 'costPerToken' || usdPerHour !== undefined) return
  const detail = `objective costPerToken needs a price, and ${name} has none here: say what one chip costs an hour as hardware.usdPerHour`
  throw faultyValue('impossible-combination', { pointer: '/hardware/usdPerHour', detail })
}
