import { describe, expect, it } from 'vitest'
import {
  microbatchChoices,
  scheduleChoices,
  triedSchedules,
  zeroChoices,
} from '../../src/search/layouts/choices.ts'
import { enumerateMeshes } from '../../src/search/meshes/meshes.ts'
import { axes, replicasOf } from '../../src/sharding/axis.ts'
import {
  ownConstants,
  type PublishedRun,
  problemOf,
  publishedRuns,
  sketchOf,
  zeroStageOf,
} from '../accuracy/training/run.ts'

/** What of a run the search would not have tried, on its chips and with its batch. */
function untried(run: PublishedRun): readonly string[] {
  const posed = problemOf(run, ownConstants(run))
  if (!posed) return ['chips']
  const { mesh, microbatchTokens, pipelineSchedule, virtualStages = 1 } = sketchOf(run)
  const pinned = Object.fromEntries(axes.map((axis) => [axis, mesh[axis]]))
  const meshes = enumerateMeshes({ ...posed, constraints: pinned }).allowed
  const sizes = microbatchChoices(mesh, posed)
  const tokens = sizes.map(({ sequences }) => (sequences / replicasOf(mesh)) * run.sequenceLength)
  const schedules = sizes.flatMap(({ microbatches }) => scheduleChoices(mesh, posed, microbatches))
  const ran = schedules.filter(
    ({ name, virtualStages: tried }) => tried === virtualStages && name === (pipelineSchedule ?? name),
  )
  const tries: Record<string, boolean> = {
    mesh: meshes.length === 1,
    zeroStage: zeroChoices(mesh, posed).includes(zeroStageOf(run)),
    microbatchTokens: microbatchTokens === undefined || tokens.includes(microbatchTokens),
    schedule:
      ran.length > 0 || (pipelineSchedule !== undefined && !triedSchedules(posed).includes(pipelineSchedule)),
  }
  return Object.keys(tries).filter((part) => !tries[part])
}

describe('the space that is searched', () => {
  it('has each layout that releases since 2024 were measured with, but for schedules that have to be asked for', () => {
    const runs = (['dense-training', 'expert-training', 'long-training'] as const)
      .flatMap((file) => publishedRuns(file))
      .filter(({ year, leftOut }) => (year ?? 0) >= 2024 && leftOut === undefined)
    expect(runs.length).toBeGreaterThan(300)
    const missed = runs.map((run) => [run.id, ...untried(run)]).filter(({ length }) => length > 1)
    expect(missed).toEqual([])
  })
})
