/** One row of a table, measured in a process of its own, so that no other measurement has warmed its code. */
import { evaluationRow } from './evaluations.ts'
import { memoryPolicyRow } from './memory-policies.ts'
import { overHttpRow, slidingRow } from './over-http.ts'
import { searchRow } from './searches.ts'

const [table = '', question = ''] = process.argv.slice(2)
const measure = {
  searches: searchRow,
  waits: overHttpRow,
  slides: slidingRow,
  evaluations: evaluationRow,
  policies: memoryPolicyRow,
}[table]
if (!measure) throw new RangeError(`There is no table ${table}`)
process.stdout.write(JSON.stringify(await measure(question)))
