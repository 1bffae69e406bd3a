/** Which of the warnings of a check are no mere notes. */
import { compact } from '../../src/compact.ts'
import type { LaunchReading } from '../../src/launch/read/reading.ts'
import type { SearchAccount } from '../../src/plan/answer.ts'
import { cutText } from '../../src/plan/search-account.ts'
import { launchDoubts } from '../translate/launch/launch.ts'

/** Of a file that is not read as it runs, or not as it was likely meant, and of a search that was cut; absent where there are none. */
export function doubtsAmong(
  warnings: readonly string[],
  reading: LaunchReading | null,
  search: SearchAccount,
): { readonly doubts?: readonly string[] } {
  const doubted = new Set(compact(launchDoubts(reading), cutText(search)))
  const doubts = warnings.filter((one) => doubted.has(one))
  return doubts.length > 0 ? { doubts } : {}
}
