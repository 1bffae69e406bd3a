/** Terms are compiled once and never changed: a search writes only to its workbench. */
import { expect, it } from 'vitest'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { inferenceModel } from '../../../src/inference/model.ts'
import { searchPhase } from '../../../src/inference/search.ts'
import { createWorkbench } from '../../../src/inference/workbench.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import { assembleInference } from '../../../src/plan/inference/assemble.ts'
import type { PhaseProblem } from '../../../src/problem.ts'
import { generation, inferenceProblem, prompts } from '../../inference-problem.ts'
import { problem } from '../../problem.ts'
import { search } from '../../search.ts'

const mixture = { model: 'mixtral-8x7b', chip: 'h100-sxm', chips: 8 }

/** Whatever can be reached; a write then throws. What cannot be frozen has no place in terms. */
function frozen<Whole>(whole: Whole, seen = new Set<unknown>()): Whole {
  if (typeof whole !== 'object' || whole === null || seen.has(whole)) return whole
  seen.add(whole)
  if (ArrayBuffer.isView(whole)) throw new TypeError('numbers that cannot be frozen')
  for (const part of Object.values(whole)) frozen(part, seen)
  return Object.freeze(whole)
}

it.each<[string, PhaseProblem]>([
  ['prefill', inferenceProblem({ ...mixture, workload: prompts(8, 2048) })],
  ['generation', inferenceProblem({ ...mixture, workload: generation('max', 2048) })],
])('terms of %s can be frozen, searched and told', (_, asked) => {
  const model = frozen(inferenceModel(asked))
  const phase = phaseOf(model, asked)
  const [best] = searchPhase(phase, 1).candidates
  if (!best) throw new Error('no plan')
  expect(assembleInference(model, phase, best, 1, null).feasible).toBe(true)
  expect(() => frozen(createWorkbench(model))).toThrow(TypeError)
})

it('terms of training can be frozen and searched', () => {
  const asked = problem({ ...mixture, chips: 64, batchTokens: 2 ** 18, sequenceLength: 2048 })
  const model = frozen(costModel(asked))
  expect(search(model).candidates.length).toBeGreaterThan(0)
})
