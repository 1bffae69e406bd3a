/** Asks one question again and again, once by the book in between; its last answer follows a line of its own. */

import { loadCatalogue } from '../../dist/api/catalogue.js'
import { optimizeRequest } from '../../dist/api/schemas/optimize.js'
import { problemOf } from '../../dist/api/translate/problem.js'
import { javascriptLpSolver } from '../../dist/solvers/javascript-lp-solver.js'
import { optimized } from '../../dist/src/modes/modes.js'
import { endless } from '../../dist/src/patience.js'

const catalogue = loadCatalogue()
const question = {
  model: 'llama-3-8b',
  hardware: { chip: 'h100-sxm', chips: 64 },
  workload: { mode: 'train', batchTokens: 4_194_304, sequenceLength: 8192 },
}

function ask(times, assumptions = 'calibrated') {
  for (let turn = 0; turn < times; turn++) {
    const asked = problemOf(optimizeRequest.parse({ ...question, assumptions }), catalogue)
    optimized(asked, javascriptLpSolver, endless)
  }
}

ask(3)
ask(1, 'book')
ask(4)
console.log('\nlast')
ask(1)
