import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../api/catalogue.ts'
import { evaluateRequest } from '../../api/schemas/evaluate.ts'
import { problemOf } from '../../api/translate/problem.ts'
import { trialOf } from '../../api/translate/trial.ts'
import { javascriptLpSolver } from '../../solvers/javascript-lp-solver.ts'
import { evaluate } from '../../src/evaluate.ts'
import { preferredOf } from '../../src/plan/certainty/preferred.ts'
import {
  isPublished,
  mostContext,
  type Recipe,
  recipesFor,
  shapeOf,
} from '../../src/plan/certainty/recipes.ts'
import { compared } from '../../src/plan/certainty/ties.ts'
import { unitMesh } from '../../src/sharding/axis.ts'

const catalogue = loadCatalogue()
const { recipes, models, residuals } = catalogue
const llama = models.get('llama-3-70b')?.transformer
if (!llama) throw new Error('The catalogue has no Llama 3 70B')
const asked = { model: llama, chip: 'h100-sxm', chips: 256, sequenceLength: 8192 }

describe('recipes', () => {
  it('are of models and chips that there are, each with what was measured', () => {
    for (const { model, chip, shape, measured, source } of recipes) {
      const known = models.get(model)?.transformer
      expect(known && shapeOf(known)).toBe(shape)
      expect(catalogue.chips.has(chip)).toBe(true)
      expect(measured.stepTimeSeconds ?? measured.mfu).toBeGreaterThan(0)
      expect(source).not.toBe('')
    }
  })

  it('of a model are those of its architecture on its chips, the nearest number first', () => {
    const found = recipesFor(recipes, asked)
    expect(found.length).toBeGreaterThan(2)
    const apart = found.map(({ chips }) => Math.abs(Math.log2(chips / 256)))
    expect([...apart].sort((a, b) => a - b)).toEqual(apart)
    for (const { model, chip } of found) expect([model, chip]).toEqual(['llama-3.1-70b', 'h100-sxm'])
    expect(recipesFor(recipes, { ...asked, chip: 'mi300x' })).toEqual([])
  })

  it('are plans that /evaluate costs as it is told', () => {
    const recipe = recipesFor(recipes, asked).find(({ compute }) => compute.toLowerCase() === 'bf16')
    if (!recipe) throw new Error('No recipe of Llama 3 70B is in bf16')
    const { model, chip, chips, batchSequences, sequenceLength, plan, predicted } = recipe
    const request = evaluateRequest.parse({
      ...{ model, hardware: { chip, chips }, plan, precision: { gradients: 'bf16' } },
      workload: { mode: 'train', batchSequences, sequenceLength },
    })
    const trial = trialOf(problemOf(request, catalogue), request.plan)
    if (trial.mode !== 'train') throw new Error('A recipe is of training')
    const answer = evaluate(trial.problem, trial.sketch, javascriptLpSolver)
    if ('illegal' in answer) throw new Error(answer.illegal[0]?.detail)
    const seconds = predicted?.stepTimeSeconds ?? Number.NaN
    expect(answer.plan.stepTimeSeconds / seconds).toBeCloseTo(1, 3)
  })

  it('say which of the plans that are tied is preferred, before all else', () => {
    const chip = catalogue.chips.get('h100-sxm')
    if (!chip) throw new Error('The catalogue has no H100')
    const mesh = { ...unitMesh, fsdp: 8, tensor: 4, pipeline: 4 }
    const [sample] = recipes
    const recipe: Recipe = { ...(sample as Recipe), plan: { mesh, zeroStage: 1 } }
    const plain = { id: '', placement: [], headroom: { memory: 1 }, launch: {} }
    const plans = compared(
      [
        { ...plain, rank: 1, mesh: { ...unitMesh, fsdp: 128 }, stepTimeSeconds: 1 },
        { ...plain, rank: 2, mesh: { ...mesh, fsdp: 2, data: 4 }, stepTimeSeconds: 1.001 },
      ],
      residuals,
    )
    expect(plans.map((plan) => isPublished([recipe], plan.mesh))).toEqual([false, true])
    const custom = { chip, recipes: [], mostContext: mostContext(recipes, 8192) }
    expect(custom.mostContext).toBe(2)
    expect(preferredOf(plans, custom)?.rank).toBe(1)
    expect(preferredOf(plans, { ...custom, recipes: [recipe] })?.rank).toBe(2)
  })
})
