/** Questions that people ask, as requests; verdicts on their first plans are in fixtures/review.json. */
import type { Question } from './questions/asked.ts'
import { dense } from './questions/dense.ts'
import { experts } from './questions/experts.ts'
import { inference } from './questions/inference.ts'

export const questions: readonly Question[] = [...dense, ...experts, ...inference]
