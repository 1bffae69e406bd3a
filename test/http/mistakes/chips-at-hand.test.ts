/** What is suggested for training that does not fit: the chips that are there first, and numbers of them that are all used. */
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../../../api/catalogue.ts'
import { changed } from '../../../api/hints/change.ts'
import { evaluateRequest } from '../../../api/schemas/evaluate.ts'
import { optimizeRequest } from '../../../api/schemas/optimize.ts'
import { evaluateQuestion, optimizeQuestion } from '../../../api/worker/desk.ts'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import { optimize } from '../../../src/optimize.ts'
import type { Suggestion } from '../../../src/plan/answer.ts'
import { evaluateRemedied } from '../../../src/remedied/training.ts'
import { legal } from '../../legal.ts'

const catalogue = loadCatalogue()

const asked = {
  model: 'llama-3-70b',
  hardware: { chip: 'h100-sxm', chips: 64 },
  workload: { mode: 'train', batchTokens: 2_097_152, sequenceLength: 8192 },
}

function evaluated(body: unknown) {
  const { trial } = evaluateQuestion(evaluateRequest.parse(body), catalogue)
  if (trial.mode !== 'train') throw new Error('It is of training')
  return legal(evaluateRemedied(trial.problem, trial.sketch, javascriptLpSolver))
}

function applied(body: object, { pointer, value, also = [] }: Suggestion): unknown {
  return changed(body, [{ pointer, value }, ...also])
}

function suggested(body: unknown) {
  const question = optimizeQuestion(optimizeRequest.parse(body), catalogue)
  if (question.mode !== 'train') throw new Error('It is of training')
  return optimize(question.problem, javascriptLpSolver).infeasible?.suggestions ?? []
}

describe('a written plan that does not fit', () => {
  it('is spread over the chips that stand idle, and not over more', () => {
    const body = { ...asked, plan: { mesh: { tensor: 8 } } }
    const { suggestions = [] } = evaluated(body)
    const [idle] = suggestions.filter(({ change }) => change === 'the chips that stand idle')
    if (!idle) throw new Error('There are idle chips')
    expect(idle).toMatchObject({ pointer: '/plan/mesh/fsdp', value: 8 })
    const { plan } = evaluated(applied(body, idle))
    expect(plan).toMatchObject({ feasible: true, idleChips: 0 })
    expect(suggestions.some(({ pointer }) => pointer.startsWith('/hardware'))).toBe(false)
  })

  it('takes a power of two of the idle chips where all of them have no sequence to work on', () => {
    const body = {
      ...{ ...asked, hardware: { chip: 'h100-sxm', chips: 104 }, plan: { mesh: { tensor: 8 } } },
      workload: { mode: 'train', batchTokens: 65_536, sequenceLength: 8192 },
    }
    const idle = evaluated(body).suggestions?.find(({ change }) => change === 'the chips that stand idle')
    if (!idle) throw new Error('There are idle chips')
    expect(idle).toMatchObject({ pointer: '/plan/mesh/fsdp', value: 8 })
    expect(evaluated(applied(body, idle)).plan).toMatchObject({ feasible: true, idleChips: 40 })
  })

  it('with stages gets replicas on more chips, and leaves none of them idle', () => {
    const body = { ...asked, model: 'llama-3.1-405b', plan: { mesh: { tensor: 8, pipeline: 8, data: 1 } } }
    const { suggestions = [] } = evaluated(body)
    const more = suggestions.find(({ pointer }) => pointer === '/hardware/chips')
    if (!more) throw new Error('More chips would do')
    const { plan } = evaluated(applied(body, more))
    expect(plan).toMatchObject({ feasible: true, idleChips: 0 })
    expect(plan.mesh.data).toBe(Number(more.value) / 64)
  })

  it('on a part of the chips leaves none idle where it takes more', () => {
    const body = { ...asked, hardware: { chip: 'h100-sxm', chips: 12 }, plan: { mesh: { tensor: 8 } } }
    const { suggestions = [] } = evaluated(body)
    const more = suggestions.find(({ pointer }) => pointer === '/hardware/chips')
    if (!more) throw new Error('More chips would do')
    expect(evaluated(applied(body, more)).plan).toMatchObject({ feasible: true, idleChips: 0 })
  })
})

describe('training for which nothing fits', () => {
  it('may fit with its optimizer states in 16 bits, or in the memory of hosts', () => {
    const body = {
      ...{ model: 'deepseek-v3', hardware: { chip: 'h100-sxm', chips: 128 } },
      workload: { mode: 'train', batchTokens: 4_194_304, sequenceLength: 4096 },
    }
    const pointers = suggested(body).map(({ pointer }) => pointer)
    expect(pointers).toContain('/precision/optimizer')
    expect(pointers).toContain('/assumptions/optimizerOnHost')
    for (const states of [
      { precision: { optimizer: 'bf16' } },
      { assumptions: { basis: 'calibrated', optimizerOnHost: true } },
    ])
      expect(suggested({ ...body, ...states })).toEqual([])
  })

  it('on one chip may fit with its optimizer states in the memory of the host', () => {
    const body = {
      ...{ model: 'llama-3-8b', hardware: { chip: 'h100-sxm', chips: 1 } },
      workload: { mode: 'train', batchTokens: 65_536, sequenceLength: 8192 },
    }
    expect(suggested(body).map(({ pointer }) => pointer)).toContain('/assumptions/optimizerOnHost')
  })
})
