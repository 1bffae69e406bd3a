/** That no mesh of so many chips holds a model's weights is said of none where one does, in a budget that these weights just fill. */
import { expect } from 'vitest'
import { inferenceModel } from '../../../src/inference/model.ts'
import { chipsMayHold, weightBytes, weightsMayFit } from '../../../src/inference/pass/pass-numbers.ts'
import { createWorkbench } from '../../../src/inference/workbench.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import type { PhaseProblem } from '../../../src/problem.ts'
import { phaseProblems } from '../../agree/inference/phase-problems.ts'
import { law } from '../../law.ts'

law(
  'chips may hold what a mesh of them holds, and not a quarter of their share',
  60,
  [phaseProblems],
  (asked) => {
    const problem = asked as PhaseProblem
    const benchIn = (memoryBudget: number) => createWorkbench(inferenceModel({ ...problem, memoryBudget }))
    const bench = benchIn(problem.memoryBudget)
    const all = bench.components.map(({ layouts }) => layouts)
    for (const mesh of phaseOf(bench, problem).meshes.allowed) {
      const stages = weightBytes(bench, mesh, all).map((stage) =>
        stage.reduce((sum, own) => sum + Math.min(...own), 0),
      )
      const tight = benchIn(Math.max(...stages))
      expect(weightsMayFit(tight, mesh)).toBe(true)
      expect(chipsMayHold(tight)).toBe(true)
      // On one stage nothing but the head, rows of the embedding and copies is beside a chip's share.
      expect(chipsMayHold(benchIn(Math.min(...stages) / 1e6))).toBe(false)
    }
  },
)
