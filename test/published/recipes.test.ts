import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../api/catalogue.ts'
import { evaluateRequest } from '../../api/schemas/evaluate.ts'
import { problemOf } from '../../api/translate/problem.ts'
import { trialOf } from '../../api/translate/trial.ts'
import { javascriptLpSolver } from '../../solvers/javascript-lp-solver.ts'
import { evaluate } from '../../src/evaluate.ts'
import { bestRecipeText } from '../../src/plan/certainty/best-recipe.ts'
import { trainingPreferences } from '../../src/plan/certainty/preferences.ts'
import { preferredOf } from '../../src/plan/certainty/preferred.ts'
import {
  evaluateRequestOf,
  isPublished,
  type Recipe,
  recipesFor,
  shapeOf,
} from '../../src/plan/certainty/recipes.ts'
import { recipesBeside } from '../../src/plan/certainty/recipes-beside.ts'
import { compared, onMeshes } from '../../src/plan/certainty/ties.ts'
import type { TrainWorkload } from '../../src/problem.ts'
import { type Mesh, unitMesh } from '../../src/sharding/axis.ts'
import { legal } from '../legal.ts'
import { runs } from '../runs.ts'

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

  it('are read as they are recorded', () => {
    const recorded = readFileSync(new URL('../../fixtures/recipes.json', import.meta.url), 'utf8')
    expect(recipes).toEqual(JSON.parse(recorded))
    expect(recipes.some(({ beyondBudget }) => beyondBudget)).toBe(true)
  })

  it('of a model are those of its architecture on its chips, the nearest number first', () => {
    const found = recipesFor(recipes, asked)
    expect(found.length).toBeGreaterThan(2)
    const apart = found.map(({ chips }) => Math.abs(Math.log2(chips / 256)))
    expect([...apart].sort((a, b) => a - b)).toEqual(apart)
    for (const { model, chip } of found) expect([model, chip]).toEqual(['llama-3.1-70b', 'h100-sxm'])
    expect(recipesFor(recipes, { ...asked, chip: 'mi300x' })).toEqual([])
  })

  it('of the length that is asked come before others, which say that they are of another', () => {
    const shapes = [...new Set(recipes.map(({ model, chip }) => `${model} ${chip}`))]
    const lengths = [2048, 4096, 8192, 32_768]
    const checked = shapes.flatMap((shape) => {
      const [name = '', chip = ''] = shape.split(' ')
      const model = models.get(name)?.transformer
      if (!model) throw new Error(`The catalogue has no ${name}`)
      return lengths.map((sequenceLength) => {
        const found = recipesFor(recipes, { model, chip, chips: 64, sequenceLength })
        const alike = found.map((one) => one.sequenceLength === sequenceLength)
        expect([...alike].sort((a, b) => Number(b) - Number(a))).toEqual(alike)
        const body = { model: name, hardware: { chip, chips: 64 } }
        const workload = { mode: 'train', batchSequences: 64, sequenceLength }
        const { problem } = problemOf(
          evaluateRequest.parse({ ...body, workload, plan: { mesh: {} } }),
          catalogue,
        )
        const shown = recipesBeside(found, problem as Parameters<typeof recipesBeside>[1], [])
        const told = shown.map(({ notes }) => !notes.some((note) => note.startsWith('its sequences have ')))
        expect(told).toEqual(alike)
        return alike
      })
    })
    expect(checked.flat().filter((alike) => alike).length).toBeGreaterThan(50)
    expect(checked.flat().filter((alike) => !alike).length).toBeGreaterThan(50)
  })

  it('are there of models that many train', () => {
    const trained = [
      'llama-3-8b',
      'llama-3-70b',
      'llama-3.1-405b',
      'mixtral-8x7b',
      'deepseek-v3',
      'gpt-3-175b',
    ]
    for (const name of trained) {
      const model = models.get(name)?.transformer
      if (!model) throw new Error(`The catalogue has no ${name}`)
      const { maxSequenceLength: sequenceLength = 4096 } = model
      const found = recipesFor(recipes, { model, chip: 'h100-sxm', chips: 64, sequenceLength })
      expect(found.length, name).toBeGreaterThan(0)
    }
  })

  it('are bodies of /evaluate as they stand, which are costed as they are told', () => {
    const special = recipes.filter(({ asked: own }) => own.hardware || own.assumptions)
    const sampled = recipes.filter((_, at) => at % Math.ceil(recipes.length / runs(24)) === 0)
    for (const { asked: own, ...recipe } of new Set([...special, ...sampled])) {
      if (!recipe.predicted) continue
      const request = evaluateRequest.parse(evaluateRequestOf(recipe, own))
      const trial = trialOf(problemOf(request, catalogue), request.plan)
      if (trial.mode !== 'train') throw new Error('A recipe is of training')
      const answer = legal(evaluate(trial.problem, trial.sketch, javascriptLpSolver))
      const { stepTimeSeconds, mfu } = recipe.predicted
      const told = stepTimeSeconds
        ? answer.plan.stepTimeSeconds / stepTimeSeconds
        : answer.plan.mfu / (mfu ?? 0)
      expect(told, JSON.stringify(recipe)).toBeCloseTo(1, 2)
    }
  })

  it('that are predicted to do more with a chip than the first plan say why they are not among the plans', () => {
    const recipe = recipes.find(({ plan }) => plan.pipelineSchedule === 'dualpipe')
    const seconds = recipe?.predicted?.stepTimeSeconds
    if (!recipe || !seconds) throw new Error('No recipe is of DualPipe')
    const { batchSequences, sequenceLength, chips } = recipe
    const { problem } = problemOf(evaluateRequest.parse(evaluateRequestOf(recipe, recipe.asked)), catalogue)
    const rate = (batchSequences * sequenceLength) / chips / seconds
    const notes = (times: number, mesh: Partial<Mesh>, distinct: 'family' | 'mesh' = 'family') => {
      const plan = { rank: 1, mfu: 0.1, tokensPerSecondPerChip: rate * times, mesh: { ...unitMesh, ...mesh } }
      const asked = { ...problem, workload: problem.workload as TrainWorkload, distinct }
      return recipesBeside([recipe], asked, [plan])[0]?.notes
    }
    const { mesh } = recipe.plan
    expect(notes(0.9, mesh)).toEqual([
      expect.stringMatching(
        /^predicted faster than the first plan .*: its schedule .*"schedule": \[.*dualpipe.*; not launchable by megatron \(.*frameworks/,
      ),
    ])
    expect(notes(1.1, mesh)).toEqual([])
    const measured = { stepTimeSeconds: 1.5 * (recipe.predicted?.stepTimeSeconds ?? 0) }
    const workload = problem.workload as TrainWorkload
    const beside = recipesBeside([{ ...recipe, measured }], { ...problem, workload }, [])[0]?.notes
    expect(beside).toEqual([expect.stringMatching(/^its predicted time is 0.67 of the measured one/)])
    const large = { ...recipe, beyondBudget: { times: 1.76, unmodelled: 'layers on the host' } }
    const [first, faster] = recipesBeside([large], { ...problem, workload }, [
      { rank: 1, mfu: 0.1, tokensPerSecondPerChip: 0.5 * rate, mesh: { ...unitMesh } },
    ])[0]?.notes ?? ['']
    expect(first).toMatch(
      /^it ran, and is predicted to need 1.76 times .* layers on the host, which is not counted$/,
    )
    expect(faster).toMatch(/it is predicted to need 1.76 times/)
    // What is not in the list may stand behind another plan of its family.
    const other = { ...mesh, pipeline: mesh.pipeline / 2, data: mesh.data * 2 }
    expect(notes(1.1, other)).toEqual([
      expect.stringMatching(/^plan 1 is of its family, with .*pipeline 8 for its/),
    ])
    expect(notes(1.1, other, 'mesh')).toEqual([])
  })

  it('are told of in a line by the one that does the most with a chip, with why it is not listed', () => {
    const recipe = recipes.find(({ plan }) => plan.pipelineSchedule === 'dualpipe')
    const seconds = recipe?.predicted?.stepTimeSeconds
    if (!recipe || !seconds) throw new Error('No recipe is of DualPipe')
    const { problem } = problemOf(evaluateRequest.parse(evaluateRequestOf(recipe, recipe.asked)), catalogue)
    const asked = { ...problem, workload: problem.workload as TrainWorkload }
    const rate = (recipe.batchSequences * recipe.sequenceLength) / recipe.chips / seconds
    const slower = { ...recipe, chips: 2 * recipe.chips }
    const line = (times: number) => {
      const tokensPerSecondPerChip = rate / times
      const first = { rank: 1, mfu: 0.1, tokensPerSecondPerChip, mesh: unitMesh, stepTimeSeconds: 30 }
      return bestRecipeText(recipesBeside([slower, recipe], asked, [first]), first, recipe.compute)
    }
    const layout =
      /^data 2 x expert 64 x pipeline 16, ZeRO-1, dualpipe on 2048 chips with 15360 sequences of 4096 \(this very question\), is predicted to take /
    expect(line(1.5)).toMatch(layout)
    expect(line(1.5)).toMatch(/\(measured: [\d.]+ s; the first plan: 30 s\), 1.50 times as many tokens/)
    expect(line(1.5)).toMatch(
      /It is not listed: .*schedule is not searched .*; not launchable by megatron, [a-z, ]+\.$/,
    )
    expect(line(0.9)).not.toMatch(/not listed/)
    expect(bestRecipeText(recipesBeside([recipe], asked, []), null, recipe.compute)).toMatch(
      / s a step \(measured: [\d.]+ s\)\.$/,
    )
    expect(bestRecipeText([], null, 'bf16')).toBeNull()
  })

  it('are compared with the first plan where their sequences are as long as those of the request', () => {
    const recipe = recipes.find(({ predicted }) => predicted?.stepTimeSeconds)
    if (!recipe) throw new Error('there is a recipe with a step')
    const { problem } = problemOf(evaluateRequest.parse(evaluateRequestOf(recipe, recipe.asked)), catalogue)
    const first = {
      ...{ rank: 1, mfu: 0.1, tokensPerSecondPerChip: 1e-3, mesh: unitMesh, stepTimeSeconds: 30 },
    }
    const beside = (times: number) => {
      const { batchTokens, sequenceLength } = problem.workload as TrainWorkload
      const workload = {
        ...(problem.workload as TrainWorkload),
        ...{ batchTokens: times * batchTokens, sequenceLength: times * sequenceLength },
      }
      const [shown] = recipesBeside([recipe], { ...problem, workload }, [first])
      if (!shown) throw new Error('it stands beside plans')
      return { ...shown, line: bestRecipeText([shown], first, shown.compute) ?? '' }
    }
    const [same, shorter] = [beside(1), beside(2)]
    expect(same.timesFirst).toBeGreaterThan(1)
    expect(same.line).toContain('times as many tokens per second and chip')
    expect(shorter.timesFirst).toBeNull()
    expect(shorter.notes.join()).not.toContain('predicted faster')
    expect(shorter.line).not.toContain('times as many')
    expect(shorter.line).toMatch(
      new RegExp(
        `; it has tokens a sequence ${recipe.sequenceLength}, where ${2 * recipe.sequenceLength} is asked; steps of other lengths are not compared.$`,
      ),
    )
  })

  it('are told of by the best of those with sequences as long as the nearest has them', () => {
    const [sample] = recipes
    if (!sample) throw new Error('there is a recipe')
    const { problem } = problemOf(evaluateRequest.parse(evaluateRequestOf(sample, sample.asked)), catalogue)
    const asked = { ...problem, workload: problem.workload as TrainWorkload }
    const beside = recipesBeside([sample], asked, [])
    const [long] = beside
    if (!long) throw new Error('it stands beside plans')
    const seconds = long.predicted?.stepTimeSeconds ?? 1
    const short = {
      ...long,
      sequenceLength: long.sequenceLength / 4,
      predicted: { stepTimeSeconds: seconds / 99 },
    }
    const told = (shown: typeof beside) => bestRecipeText(shown, null, sample.compute)
    expect(told([long, short])).toContain(`sequences of ${long.sequenceLength}`)
    expect(told([short, long])).toContain(`sequences of ${short.sequenceLength}`)
    // The very question goes before one that is predicted to do more with a chip, which would be said to be another.
    const otherChips = { ...asked, cluster: { ...asked.cluster, chips: 2 * sample.chips } }
    const [faster] = recipesBeside(
      [{ ...sample, predicted: { stepTimeSeconds: seconds / 9 } }],
      otherChips,
      [],
    )
    if (!faster) throw new Error('it stands beside plans')
    expect(long.otherwise).toEqual([])
    expect(told([faster, long])).toBe(told([long]))
    expect(told([faster])).toMatch(/^no published run of this question; the best of those near it, /)
    expect(told([faster])).toContain(`; it has chips ${sample.chips}, where ${2 * sample.chips} is asked`)
    // One in another type, faster by that type alone, goes behind.
    const { evaluate: request } = faster
    const narrow = {
      ...faster,
      evaluate: { ...request, precision: { ...request.precision, compute: 'fp8' as const } },
    }
    const alike = { ...faster, predicted: { stepTimeSeconds: seconds } }
    expect(sample.compute).toBe('bf16')
    expect(told([narrow, alike])).toBe(told([alike]))
  })

  it('say which of the plans that are tied is preferred, before all else', () => {
    const chip = catalogue.chips.get('h100-sxm')
    if (!chip) throw new Error('The catalogue has no H100')
    const mesh = { ...unitMesh, fsdp: 8, tensor: 4, pipeline: 4 }
    const [sample] = recipes
    const recipe: Recipe = { ...(sample as Recipe), plan: { mesh, zeroStage: 1 } }
    const plain = { id: '', placement: [], headroom: { memory: 1 }, idleChips: 0, launch: {} }
    const plans = compared(
      [
        { ...plain, rank: 1, mesh: { ...unitMesh, fsdp: 128 }, stepTimeSeconds: 1 },
        { ...plain, rank: 2, mesh: { ...mesh, fsdp: 2, data: 4 }, stepTimeSeconds: 1.001 },
      ],
      onMeshes(residuals.differences, 'training', ({ stepTimeSeconds }) => stepTimeSeconds),
    )
    expect(plans.map((plan) => isPublished([recipe], plan.mesh))).toEqual([false, true])
    const custom = { chip, recipes: [], beyond: null }
    expect(preferredOf(plans, trainingPreferences(custom), 2)?.rank).toBe(1)
    expect(preferredOf(plans, trainingPreferences({ ...custom, recipes: [recipe] }), 2)?.rank).toBe(2)
    // Over the same axes, in other numbers: that too, but what leaves chips idle comes last whatever it is.
    const kind: Recipe = {
      ...recipe,
      plan: { mesh: { ...unitMesh, tensor: 8, pipeline: 2, fsdp: 8 }, zeroStage: 1 },
    }
    const [one, two] = plans
    if (!one || !two) throw new Error('Two plans were compared')
    expect(preferredOf(plans, trainingPreferences({ ...custom, recipes: [kind] }), 2)?.rank).toBe(2)
    expect(
      preferredOf([one, { ...two, idleChips: 4 }], trainingPreferences({ ...custom, recipes: [recipe] }), 2)
        ?.rank,
    ).toBe(1)
    expect(preferredOf([{ ...one, idleChips: 4 }, two], trainingPreferences(custom), 2)).toMatchObject({
      rank: 2,
      reasons: ['it uses all chips, and the first plan leaves some idle'],
    })
  })
})
