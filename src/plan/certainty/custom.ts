/** What is customary for a question of training: published recipes of about its sequence length, and how far runs went. */
import { present } from '../../fields.ts'
import type { Problem } from '../../problem.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { beyondRuns, type Divided, isWithinRuns } from './measured-range.ts'
import type { Custom } from './preferences.ts'
import type { Recipe } from './recipes.ts'
import { type Comparing, onMeshes } from './ties.ts'

/** Recipes count within a factor of 2 of the sequence length. */
export function customOf(problem: Problem, recipes: readonly Recipe[]): Custom {
  const { cluster, workload } = problem
  const { sequenceLength } = workload
  const near = ({ sequenceLength: own }: Recipe) => Math.max(own / sequenceLength, sequenceLength / own) <= 2
  return { chip: cluster.chip, recipes: recipes.filter(near), beyond: beyondOf(problem) }
}

/** How far layouts lie beyond all measured runs; null where none is known. */
export function beyondOf({ residuals, workload, cluster: { chip } }: Problem): Custom['beyond'] {
  const { sequenceLength } = workload
  return residuals
    ? ({ mesh, virtualStages }) =>
        beyondRuns({ mesh, ...present({ virtualStages }), sequenceLength, chip }, residuals.ran)
    : null
}

/** Whether meshes are like those of some run; null where no run is known. */
export function withinRunsOf({
  residuals,
  workload: { sequenceLength },
  cluster: { chip },
}: Problem): ((mesh: Mesh) => boolean) | null {
  return residuals ? (mesh) => isWithinRuns({ mesh, sequenceLength, chip }, residuals.ran) : null
}

interface Timed extends Divided {
  readonly stepTimeSeconds: Seconds
}

/** How plans of a question are compared: by their steps, as far as they lie apart. Undefined where nothing is known of differences. */
export function comparingSteps(problem: Problem): Comparing<Timed> | undefined {
  const beyond = beyondOf(problem)
  const differences = problem.residuals?.differences
  const octaves = beyond ? (plan: Timed) => beyond(plan).octaves : undefined
  return onMeshes(differences, 'training', ({ stepTimeSeconds }) => stepTimeSeconds, octaves)
}
