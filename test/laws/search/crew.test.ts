/**
 * Several threads on one answer: however many help, whatever they do and whenever they are called away, the answer is
 * that of a single thread to the last digit. Here helpers run one after the other and the leader last, so that each
 * finds what the others left.
 */

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type CrewMemory, createCrewMemory, crewOf, Dismissed } from '../../../api/worker/crew.ts'
import type { Crew } from '../../../src/crew.ts'
import { optimize } from '../../../src/optimize.ts'
import type { Patience } from '../../../src/patience.ts'
import type { Problem } from '../../../src/problem.ts'
import { trainingProblems } from '../../agree/training/problems.ts'
import { solver } from '../../inference-problem.ts'
import { forAll } from '../../law.ts'
import { problem } from '../../problem.ts'
import { tinyDense } from '../../small-model.ts'

/** Answers the same, until it has been asked so many times whether it is wanted elsewhere. */
function help(question: Problem, memory: CrewMemory, times: number): void {
  let asked = 0
  const apart = () => {
    if (++asked > times) throw new Dismissed()
    return false
  }
  try {
    optimize(question, solver, () => apart, crewOf({ memory, leads: false, apart }))
  } catch (error) {
    if (!(error instanceof Dismissed)) throw error
  }
}

/** With how much came of others. */
function led(question: Problem, memory: CrewMemory, patience: Patience, apart = () => false) {
  let own = 0
  const crew = crewOf({ memory, leads: true, apart })
  const counting: Crew = {
    ...crew,
    all: (jobs, work, shared) =>
      crew.all(
        jobs,
        (job) => {
          own++
          return work(job)
        },
        shared,
      ),
  }
  return { answer: JSON.stringify(optimize(question, solver, patience, counting)), own }
}

const never: Patience = () => () => false

const several: Problem = problem({
  ...{ model: tinyDense, chip: 'h100-sxm', chips: 24, batchTokens: 48 * 4096, sequenceLength: 4096, top: 6 },
})

const questions = fc
  .tuple(trainingProblems, fc.constantFrom('mesh', 'family', 'layout'), fc.constantFrom('stepTime', 'robust'))
  .map(([given, distinct, objective]): Problem => ({ ...given, distinct, objective, top: 4 }) as Problem)

it('has one answer whatever others do of it, and wherever they leave it', () => {
  const called = fc.array(fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 10_000 })), {
    maxLength: 3,
  })
  forAll(5, [questions, called, fc.constantFrom(1 << 15, 300, 40)], (question, times, jobs) => {
    const memory = createCrewMemory(jobs, 1 << 20)
    for (const each of times) help(question, memory, each)
    expect(led(question, memory, never).answer).toBe(JSON.stringify(optimize(question, solver)))
  })
})

it('is spared what others did', () => {
  const memory = createCrewMemory()
  const alone = led(several, createCrewMemory(), never)
  help(several, memory, Number.POSITIVE_INFINITY)
  const helped = led(several, memory, never)
  expect(helped.answer).toBe(alone.answer)
  expect(helped.own).toBeLessThan(alone.own / 4)
})

it('is all the same where what came of it has no room to be told', () => {
  const memory = createCrewMemory(1 << 15, 2000)
  help(several, memory, Number.POSITIVE_INFINITY)
  expect(led(several, memory, never).answer).toBe(JSON.stringify(optimize(several, solver)))
})

it('goes on by itself once its time is over, and says so', () => {
  const best = optimize(several, solver)
  forAll(5, [fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 3000 })], (end, times) => {
    const memory = createCrewMemory()
    help(several, memory, times)
    let ticks = 0
    let cut = false
    const patience: Patience = (share) => () => {
      if (++ticks > share * end) cut = true
      return ticks > share * end
    }
    const { plans, search } = JSON.parse(led(several, memory, patience, () => cut).answer)
    const { pruned, evaluated, unexamined, enumerated, infeasible } = search
    const parts: readonly number[] = Object.values(infeasible)
    expect(parts.reduce((sum, part) => sum + part, pruned + evaluated + unexamined)).toBe(enumerated)
    const least = best.plans[0]?.stepTimeSeconds ?? 0
    for (const { stepTimeSeconds } of plans) expect(stepTimeSeconds).toBeGreaterThanOrEqual(least)
    if (!cut) expect(plans).toEqual(JSON.parse(JSON.stringify(best.plans)))
  })
})
