/** What a pass takes where each component has one layout is the same in numbers alone as by the search of layouts, to the last digit. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inferenceModel } from '../../../src/inference/model.ts'
import { arrange } from '../../../src/inference/pass/arrangement.ts'
import { passNumbers, residentOf } from '../../../src/inference/pass/pass-numbers.ts'
import { settledIn } from '../../../src/inference/pass/settled.ts'
import { sitesOf } from '../../../src/inference/sites.ts'
import { phaseOf } from '../../../src/modes/phases.ts'
import { runs } from '../../runs.ts'
import { phaseProblems } from './phase-problems.ts'

it('is what the search of layouts finds among one of each', () => {
  let [compared, over] = [0, 0]
  fc.assert(
    fc.property(phaseProblems, fc.boolean(), fc.infiniteStream(fc.nat()), (asked, roomy, picks) => {
      // Without a limit of memory there is no most sequences.
      const fills = asked.workload.batchSequences === 'max'
      const problem = roomy && !fills ? { ...asked, memoryBudget: 1e18 } : asked
      const { bench, meshes, offers, passes } = phaseOf(inferenceModel(problem), problem)
      const some = <One>(all: readonly One[], most: number) =>
        all.length <= most
          ? all
          : Array.from({ length: most }, () => all[picks.next().value % all.length] as One)
      for (const mesh of some(meshes.allowed, 3)) {
        const [offered = []] = offers(mesh)
        const own = offered.map((options) => some(options, 1))
        for (const site of some(sitesOf(bench, mesh, {}, [own]), 2)) {
          const taken = settledIn(bench, site)
          for (const pass of some(passes({ ...site, offered }), 3)) {
            const fitting = taken?.fittingSeconds(pass)
            const found = arrange(bench, site, pass)
            if (found) expect(fitting).toBe(found.seconds)
            expect(taken?.seconds(pass)).toBe(found?.seconds ?? Number.POSITIVE_INFINITY)
            const stages = residentOf(bench, pass, passNumbers(bench, mesh, pass, own))
            const held = stages.map((options) => options.flat().reduce((sum, { bytes }) => sum + bytes, 0))
            expect(taken?.memory(pass)).toEqual({
              bytes: Math.max(...held),
              workspace: Math.max(0, ...stages.flat(2).map(({ workspace }) => workspace)),
            })
            if (found) compared++
            else over++
          }
        }
      }
    }),
    { numRuns: runs(60) },
  )
  expect(compared).toBeGreaterThan(30)
  expect(over).toBeGreaterThan(0)
})
