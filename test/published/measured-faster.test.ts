import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../api/catalogue.ts'
import { plansReport } from '../../api/report/plans.ts'
import { evaluateRequest } from '../../api/schemas/evaluate.ts'
import { optimizeRequest } from '../../api/schemas/optimize.ts'
import { evaluateQuestion, optimizeBody, optimizeQuestion } from '../../api/worker/desk.ts'
import { regretOf } from '../../api/worker/regret.ts'
import { javascriptLpSolver } from '../../solvers/javascript-lp-solver.ts'
import { evaluate } from '../../src/evaluate.ts'
import { optimized } from '../../src/modes/modes.ts'
import { optimize } from '../../src/optimize.ts'
import { endless } from '../../src/patience.ts'
import { secondsText } from '../../src/plan/explain/figures.ts'
import { legal } from '../legal.ts'

const catalogue = loadCatalogue()

const asked = {
  model: 'qwen3-30b-a3b',
  hardware: { chip: 'h100-sxm', chips: 16 },
  workload: { mode: 'train', batchTokens: 4_194_304, sequenceLength: 4096 },
  precision: { gradients: 'bf16' },
  top: 3,
}

function answerTo(body: unknown) {
  const request = optimizeRequest.parse(body)
  const question = optimizeQuestion(request, catalogue)
  if (question.mode !== 'train') throw new Error('It is a question about training')
  return { request, question, answer: optimize(question.problem, javascriptLpSolver) }
}

describe('a published run of the very question that was measured faster than the first plan', () => {
  const { request, question, answer } = answerTo(asked)
  const [first] = answer.plans
  if (!first) throw new Error('There is a plan')
  const recipe = answer.recipes.find(({ unlisted }) => unlisted.join().includes('overlapDispatch'))
  if (!recipe) throw new Error('There is such a run')

  it('is not listed for what it assumes otherwise, by the names that the request has for it', () => {
    expect(recipe.otherwise).toEqual([])
    expect(recipe.assumedOtherwise).toEqual([
      'expertRecipe graphed, where flex is assumed',
      'overlapDispatch 0.7, where 0 is assumed',
    ])
    const { trial } = evaluateQuestion(evaluateRequest.parse({ ...asked, plan: recipe.plan }), catalogue)
    if (trial.mode !== 'train') throw new Error('It is of training')
    const own = legal(evaluate(trial.problem, trial.sketch, javascriptLpSolver)).plan
    expect(own.stepTimeSeconds).toBeGreaterThan(first.stepTimeSeconds)
    expect(recipe.asRequested).toEqual({ stepTimeSeconds: own.stepTimeSeconds, feasible: true })
    expect(recipe.unlisted.join()).toContain(`it takes ${secondsText(own.stepTimeSeconds)}`)
    expect(recipe.notes.join()).toContain('"overlapDispatch":0.7')
    for (const { unlisted } of answer.recipes) expect(unlisted.join()).not.toContain('excludes')
  })

  it('is told in a warning, and is listed with the assumptions that the warning names', () => {
    const warning = answer.warnings.find((text) => text.includes('was measured at')) ?? ''
    expect(warning).toMatch(/measured at 21 s a step, where the first plan .* s: expert 16, /)
    expect(warning).toContain(secondsText(first.stepTimeSeconds))
    const assumptions = JSON.parse(/"assumptions": (\{.*?\})/.exec(warning)?.[1] ?? '')
    const { answer: other } = answerTo({ ...asked, assumptions })
    expect(other.plans[0]?.stepTimeSeconds).toBeLessThan((recipe.predicted?.stepTimeSeconds ?? 0) * 1.001)
    expect(other.warnings.join()).not.toContain('was measured at')
  })

  it('is told beside the regret of a plan that divides the model as it does', () => {
    const { trial } = evaluateQuestion(
      evaluateRequest.parse({ ...asked, plan: { mesh: { expert: 16 } } }),
      catalogue,
    )
    if (trial.mode !== 'train') throw new Error('It is of training')
    const verdict = evaluate(trial.problem, trial.sketch, javascriptLpSolver)
    const planner = {
      optimized: (asked: Parameters<typeof optimized>[0]) => optimized(asked, javascriptLpSolver, endless),
    }
    const regret = regretOf(trial, verdict, planner, endless)
    const { assumedOtherwise } = recipe
    expect(regret).toMatchObject({ published: { stepTimeSeconds: 20.992, assumedOtherwise } })
    expect(regret?.savesFraction).toBeGreaterThan(0)
  })

  it('is what a table says of published layouts', () => {
    const text = plansReport.text(optimizeBody(request, question, answer))
    expect(text).toMatch(
      /\(this very question\), .* It is not listed: its prediction has expertRecipe graphed/,
    )
  })
})

describe('a published run that needs more memory than it may by what is counted', () => {
  it('is not listed for that', () => {
    const { answer } = answerTo({
      ...asked,
      ...{ model: 'llama-3-70b', hardware: { chip: 'gb200-nvl72', chips: 64 } },
      workload: { ...asked.workload, batchTokens: 2_097_152, sequenceLength: 8192 },
      precision: { compute: 'fp8', gradients: 'bf16' },
    })
    const recipe = answer.recipes.find(({ plan }) => plan.mesh.fsdp === 64)
    expect(recipe?.asRequested?.feasible).toBe(false)
    expect(recipe?.unlisted.join()).toMatch(
      /need 1.76 times what it may fill .* activations .* host's memory/,
    )
  })
})

describe('a published run of a question in all but an element type', () => {
  it('is said to be of this question but for that', () => {
    const { request, question, answer } = answerTo({
      ...asked,
      ...{ model: 'llama-3.1-405b', hardware: { chip: 'h100-sxm', chips: 1024 } },
      workload: { ...asked.workload, batchTokens: 512 * 8192, sequenceLength: 8192 },
      precision: { compute: 'fp8' },
    })
    const text = plansReport.text(optimizeBody(request, question, answer))
    expect(text).toContain('(this question but for gradients in bf16, where fp32 is asked)')
    expect(text).not.toContain('no published run of this question')
  })
})
