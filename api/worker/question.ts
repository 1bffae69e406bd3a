/** What a request asks, resolved, and what may come of it: the domain's own words (src/modes). */
export type { Answer, Inspection, Question, Trial, Verdict } from '../../src/modes/question.ts'
