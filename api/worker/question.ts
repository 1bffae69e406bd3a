/** A resolved request and its answer, in the domain's terms (src/modes). */
export type { Answer, Inspection, Question, Trial, Verdict } from '../../src/modes/question.ts'
