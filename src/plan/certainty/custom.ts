/** What is customary for a question of training: published recipes of about its sequence length, and how far runs went. */
import type { Problem } from '../../problem.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { Seconds } from '../../units.ts'
import { beyondRuns } from './measured-range.ts'
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

/** How far meshes lie beyond all measured runs; null where none is known. */
export function beyondOf({ residuals, workload, cluster: { chip } }: Problem): Custom['beyond'] {
  const { sequenceLength } = workload
  return residuals ? (mesh) => beyondRuns({ mesh, sequenceLength, chip }, residuals.ran) : null
}

/** How plans of a question are compared: by their steps, as far as they lie apart. Undefined where nothing is known of differences. */
export function comparingSteps(
  problem: Problem,
): Comparing<{ readonly mesh: Mesh; readonly stepTimeSeconds: Seconds }> | undefined {
  const beyond = beyondOf(problem)
  const differences = problem.residuals?.differences
  const octaves = beyond ? (mesh: Mesh) => beyond(mesh).octaves : undefined
  return onMeshes(differences, 'training', ({ stepTimeSeconds }) => stepTimeSeconds, octaves)
}
