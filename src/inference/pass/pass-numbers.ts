/**
 * What the layouts of one mesh take for one pass before its placement is known: seconds of the products, bytes in
 * memory, bytes that move. Placements of a mesh share it; only the network is put in later (inference/layout/layout-question.ts).
 */
import { reserveBytes } from '../../cost/memory/budget.ts'
import { type Mesh, unitMesh } from '../../sharding/axis.ts'
import type { Bytes } from '../../units.ts'
import type { CompiledCollective, CompiledLayout, Offered } from '../layout/compiled-layout.ts'
import { setShards } from '../layout/local-sizes.ts'
import { sumOf } from '../layout/local-term.ts'
import { embeddingBeside } from '../model.ts'
import type { Workbench } from '../workbench.ts'
import { cachedBytes } from './cached.ts'
import { courses } from './courses.ts'
import { leanest, sumOfLeast } from './leanest-choice.ts'
import type { Course, Pass } from './pass.ts'
import type { PassNumbers, StageBytes } from './pass-amounts.ts'
import { besideBytes } from './pass-budget.ts'
import { setPass, shapeSeconds, shapeWorkspace } from './shape-numbers.ts'
import { stagesOf } from './stage-layers.ts'

/** Kept with the pass while its mesh is searched. */
export function passNumbers(bench: Workbench, mesh: Mesh, pass: Pass, layouts: Offered): PassNumbers {
  const known = bench.numbers.get(pass)
  if (known && known.mesh === mesh && known.layouts === layouts) return known
  const numbers = workedOut(bench, mesh, pass, layouts)
  bench.numbers.set(pass, numbers)
  return numbers
}

function workedOut(bench: Workbench, mesh: Mesh, pass: Pass, layouts: Offered): PassNumbers {
  const compute = shapeSeconds(bench, mesh, pass, layouts)
  const leastOn = ({ times }: Course) => {
    let least = 0
    for (let at = 0; at < compute.length; at++) least += (times[at] ?? 0) * leastOf(compute[at] ?? [])
    return least
  }
  const byLeast = courses(bench, pass)
    .map((course) => ({ course, least: leastOn(course) }))
    .sort((a, b) => b.least - a.least)
  const own = byLeast.map(({ course }) => course)
  return { mesh, layouts, compute, courses: own, least: byLeast[0]?.least ?? 0, resident: null }
}

/** Bytes of a collective as its group sees them, for the layers or for the head. */
export function movedBytes(
  bench: Workbench,
  mesh: Mesh,
  pass: Pass,
  { moved }: CompiledCollective,
  head: boolean,
): Bytes {
  setShards(bench.sizes, mesh)
  setPass(bench, pass, head)
  return sumOf(moved, bench.sizes)
}

/** The memory of each layout of a pass on each stage, kept with its numbers. */
export function residentOf(
  bench: Workbench,
  pass: Pass,
  numbers: PassNumbers,
): NonNullable<PassNumbers['resident']> {
  const { mesh, layouts } = numbers
  numbers.resident ??= stageBytes(
    bench,
    mesh,
    pass,
    layouts,
    stagesWith(weightBytes(bench, mesh, layouts)),
  ).toSorted((a, b) => sumOfLeast(b) - sumOfLeast(a))
  return numbers.resident
}

/** Bytes of weights by stage, component and layout; they are the same for every batch. Attention's have the embedding's rows. */
export function weightBytes(
  bench: Workbench,
  mesh: Mesh,
  layouts: Offered,
): readonly (readonly (readonly Bytes[])[])[] {
  setShards(bench.sizes, mesh)
  return stagesOf(bench, mesh.pipeline).map((counts) =>
    layouts.map((offered, component) =>
      offered.map((layout) => {
        const rows = component === 0 ? rowBytes(bench, mesh, layout) : 0
        return (counts[component] ?? 0) * sumOf(layout.stored, bench.sizes) + rows
      }),
    ),
  )
}

/** Rows of the embedding beside such attention, unless the pipeline has them on a stage of their own, or they are the unembedding's. */
export function rowBytes(
  bench: Workbench,
  { pipeline }: Mesh,
  attention: Pick<CompiledLayout, 'projection'>,
): Bytes {
  if (pipeline > 1 || bench.setting.model.tiedEmbeddings) return 0
  return sumOf(embeddingBeside(bench, attention).stored, bench.sizes)
}

type Weights = ReturnType<typeof weightBytes>

/** Bytes of weights, and where bytes of all are written: over those of the last pass, as a mesh is asked for many numbers of sequences. */
interface Stages {
  readonly weights: Weights
  readonly buffers: readonly (readonly { bytes: Bytes; workspace: Bytes }[])[][]
}

function stagesWith(weights: Weights): Stages {
  return {
    weights,
    buffers: weights.map((stage) => stage.map((own) => own.map(() => ({ bytes: 0, workspace: 0 })))),
  }
}

function stageBytes(
  bench: Workbench,
  mesh: Mesh,
  pass: Pass,
  layouts: Offered,
  { weights, buffers }: Stages,
): readonly StageBytes[] {
  const { sizes } = bench
  const workspaces = shapeWorkspace(bench, mesh, pass, layouts)
  setShards(sizes, mesh)
  const cached = cachedBytes(sizes, mesh, pass, layouts)
  const counts = stagesOf(bench, mesh.pipeline)
  for (const [stage, own] of buffers.entries()) {
    for (const [component, options] of own.entries()) {
      const count = counts[stage]?.[component] ?? 0
      for (const [option, buffer] of options.entries()) {
        const kept = cached[component]?.[option] ?? 0
        buffer.bytes = (weights[stage]?.[component]?.[option] ?? 0) + count * kept
        buffer.workspace = workspaces[component]?.[option] ?? 0
      }
    }
  }
  return buffers
}

/** The least memory that a pass takes on a mesh, over all layouts. When weights alone exceed the budget, only they are computed. */
export function memoryRoom(bench: Workbench, mesh: Mesh, layouts: Offered): (pass: Pass) => Bytes {
  const fixed = reserveBytes(bench.setting)
  const weights = weightBytes(bench, mesh, layouts)
  const least = fixed + leastWeights(weights)
  if (least > bench.setting.memoryBudget) return () => least
  const stages = stagesWith(weights)
  return (pass) => {
    const { bytes } = leanest(stageBytes(bench, mesh, pass, layouts, stages))
    return fixed + besideBytes(bench, mesh, pass) + bytes
  }
}

/**
 * False when weights alone are over the budget on any mesh of all the chips: each array is on one of them at least, so that some chip has no less
 * than the mean.
 */
export function chipsMayHold(bench: Workbench): boolean {
  const { setting, components, sizes } = bench
  setShards(sizes, unitMesh)
  let whole = 0
  for (const { layers, layouts } of components) {
    whole += layers * leastOf(layouts.map(({ stored }) => sumOf(stored, sizes)))
  }
  return reserveBytes(setting) + (whole / setting.cluster.chips) * (1 - 1e-9) <= setting.memoryBudget
}

/** False when weights alone are over the budget, whatever the layouts. */
export function weightsMayFit(bench: Workbench, mesh: Mesh): boolean {
  const fixed = reserveBytes(bench.setting)
  const all = bench.components.map(({ layouts }) => layouts)
  return fixed + leastWeights(weightBytes(bench, mesh, all)) <= bench.setting.memoryBudget
}

function leastWeights(weights: Weights): Bytes {
  return Math.max(...weights.map((stage) => stage.reduce((sum, own) => sum + leastOf(own), 0)))
}

function leastOf(values: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY
  for (const value of values) if (value < least) least = value
  return least
}
