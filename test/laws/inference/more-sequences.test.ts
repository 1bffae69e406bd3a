/**
 * What the search of the most sequences rests on: on one mesh, in one layout of each component, a step with more sequences, or of longer ones,
 * takes no less memory and time. Meshes, layouts and models are any, with copies of experts, uneven choices and pipelines of layers of two kinds
 * among them.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inferenceModel } from '../../../src/inference/model.ts'
import { arrangedSeconds } from '../../../src/inference/pass/arrangement.ts'
import type { Pass } from '../../../src/inference/pass/pass.ts'
import { type Settled, settled } from '../../../src/inference/pass/settled.ts'
import { stepPasses } from '../../../src/inference/pass/step-passes.ts'
import { sitesOf } from '../../../src/inference/sites.ts'
import { largestBatch } from '../../../src/modes/generate/phase.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import type { GenerateProblem, GenerateWorkload } from '../../../src/problem.ts'
import { replicasOf } from '../../../src/sharding/axis.ts'
import { generatePhaseProblems } from '../../agree/inference/phase-problems.ts'
import { runs } from '../../runs.ts'

/** Sums of the same numbers in another order. */
const rounding = 1e-12

type Lengths = Pick<GenerateWorkload, 'contextLength' | 'meanContextLength'>

interface Asked {
  readonly lengths: Lengths
  readonly taken: Settled
  readonly passesOf: (batch: number, lengths: Lengths) => readonly Pass[]
}

/** One of them, if there are any. */
function one<Of>(all: readonly Of[], picks: fc.Stream<number>): readonly Of[] {
  const chosen = all[picks.next().value % all.length]
  return chosen === undefined ? [] : [chosen]
}

/** On some meshes of a problem, each with one of its layouts. */
function* settledOn(problem: GenerateProblem, picks: fc.Stream<number>): Generator<Asked> {
  const { maxStepSeconds: _, ...workload } = problem.workload
  // As many sequences as any mesh may divide.
  const asked = { ...problem, workload: { ...workload, batchSequences: 4096 } }
  const model = inferenceModel(asked)
  const { bench, meshes, offers } = phaseOf(model, asked)
  const some = <Of>(all: readonly Of[]) => one(all, picks)
  for (let tries = 0; tries < 4; tries++) {
    for (const mesh of some(meshes.allowed)) {
      for (const offered of some(offers(mesh))) {
        for (const site of some(sitesOf(bench, mesh, {}, [offered.map(some)]))) {
          const taken = settled(bench, site)
          const passesOf = (batch: number, lengths: Lengths) => stepPasses(bench, lengths, batch, mesh)
          yield { lengths: workload, taken, passesOf }
        }
      }
    }
  }
}

/** Of both ways through the model, whole and in halves. */
function expectNoLess(of: (pass: Pass) => number, less: readonly Pass[], more: readonly Pass[]): void {
  for (const [way, pass] of less.entries()) {
    const other = more[way]
    if (other) expect(of(other)).toBeGreaterThanOrEqual(of(pass) * (1 - rounding))
  }
}

function forSteps(few: number, holds: (asked: Asked) => void): void {
  let asked = 0
  fc.assert(
    fc.property(generatePhaseProblems, fc.infiniteStream(fc.nat()), (problem, picks) => {
      for (const own of settledOn(problem, picks)) {
        holds(own)
        asked++
      }
    }),
    { numRuns: runs(few) },
  )
  expect(asked).toBeGreaterThan(few)
}

const mostSequences = 33

/** Sequences that are counted one by one. */
const mostCounted = 60

describe('of any model on any mesh and in any layout', () => {
  it('a step with one sequence more takes no less memory, in what stays or in what is worked with', () => {
    forSteps(60, ({ lengths, taken, passesOf }) => {
      for (let batch = 1; batch < mostSequences; batch++) {
        const [less, more] = [passesOf(batch, lengths), passesOf(batch + 1, lengths)]
        expectNoLess((pass) => taken.memory(pass).bytes, less, more)
        expectNoLess((pass) => taken.memory(pass).workspace, less, more)
      }
    })
  })

  it('a step with one sequence more takes no less time', () => {
    forSteps(60, ({ lengths, taken, passesOf }) => {
      for (let batch = 1; batch < mostSequences; batch++) {
        expectNoLess(taken.fittingSeconds, passesOf(batch, lengths), passesOf(batch + 1, lengths))
      }
    })
  })

  it('a step of longer sequences takes no less memory and time', () => {
    forSteps(60, ({ lengths, taken, passesOf }) => {
      const { contextLength, meanContextLength } = lengths
      const whole = ({ bytes, workspace }: ReturnType<Settled['memory']>) => bytes + workspace
      for (const longer of [1, 2, 17, 1000]) {
        const more = { contextLength: contextLength + longer, meanContextLength: meanContextLength + longer }
        const [own, other] = [passesOf(7, lengths), passesOf(7, more)]
        expectNoLess((pass) => whole(taken.memory(pass)), own, other)
        expectNoLess(taken.fittingSeconds, own, other)
      }
    })
  })

  it('the most sequences within memory and a limit on the step are those that counting finds', () => {
    const seen = { some: 0, all: 0, none: 0 }
    fc.assert(
      fc.property(generatePhaseProblems, fc.infiniteStream(fc.nat()), (asked, picks) => {
        const { maxStepSeconds: _, ...rest } = asked.workload
        const workload = { ...rest, maxSequences: mostCounted }
        const { bench, offers, meshes } = phaseOf(inferenceModel(asked), { ...asked, workload })
        for (const mesh of one(meshes.allowed, picks)) {
          for (const offered of one(offers(mesh), picks)) {
            for (const site of one(sitesOf(bench, mesh, {}, [offered]), picks)) {
              const counted = Array.from({ length: mostCounted }, (_, more) => more + 1)
              const batches = counted.filter((batch) => batch >= replicasOf(mesh))
              const times = new Map(
                batches.map((batch) => [
                  batch,
                  Math.min(
                    ...stepPasses(bench, workload, batch, mesh).map((own) =>
                      arrangedSeconds(bench, site, own),
                    ),
                  ),
                ]),
              )
              // No limit, and one that some batch just keeps.
              for (const limit of [
                Number.MAX_VALUE,
                ...one([...times.values()].filter(Number.isFinite), picks),
              ]) {
                const most = batches.findLast((batch) => (times.get(batch) ?? 0) <= limit) ?? 0
                const limited = limit === Number.MAX_VALUE ? workload : { ...workload, maxStepSeconds: limit }
                expect(largestBatch(bench, site, limited)).toBe(most)
                seen[most === 0 ? 'none' : most < mostCounted ? 'some' : 'all']++
              }
            }
          }
        }
      }),
      { numRuns: runs(40) },
    )
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(0)
  })
})
