/** Writers of each kind of answer as text. */
import { calibrationCsv, calibrationMarkdown, calibrationText } from '../report/calibration.ts'
import { collectiveCsv, collectiveMarkdown, collectiveText } from '../report/collective.ts'
import { comparisonCsv, comparisonMarkdown, comparisonText } from '../report/comparison.ts'
import { evaluationCsv, evaluationMarkdown, evaluationText } from '../report/evaluation.ts'
import { plansCsv, plansMarkdown, plansText } from '../report/plans.ts'
import type { CalibrateBody } from '../schemas/calibrate.ts'
import type { CompareBody } from '../schemas/compare.ts'
import type { CollectiveBody, EvaluateBody, OptimizeBody } from './desk.ts'
import type { Tellers } from './reply.ts'

export const tellers = {
  optimize: { text: (body) => plansText(body), markdown: plansMarkdown, csv: plansCsv },
  evaluate: { text: (body) => evaluationText(body), markdown: evaluationMarkdown, csv: evaluationCsv },
  compare: { text: (body) => comparisonText(body), markdown: comparisonMarkdown, csv: comparisonCsv },
  calibrate: { text: calibrationText, markdown: calibrationMarkdown, csv: calibrationCsv },
  collective: { text: collectiveText, markdown: collectiveMarkdown, csv: collectiveCsv },
} satisfies Told

interface Told {
  readonly optimize: Tellers<OptimizeBody>
  readonly evaluate: Tellers<EvaluateBody>
  readonly compare: Tellers<CompareBody>
  readonly calibrate: Tellers<CalibrateBody>
  readonly collective: Tellers<CollectiveBody>
}
