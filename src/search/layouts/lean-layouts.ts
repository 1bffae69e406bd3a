/**
 * The layouts of a mesh that may need little memory, each with its cuts and with what it holds. The others are passed over by floors of
 * memory (bound/memory-floor.ts), the sooner the less is computed for them: a ZeRO stage by its states and the smallest microbatch, a
 * layout by what its stages hold together.
 */
import { type Scale, setBatch, setMesh } from '../../cost/compile/term.ts'
import { reserveBytes } from '../../cost/memory/budget.ts'
import type { MemoryNumbers, StateNumbers } from '../../cost/memory/layer-bytes.ts'
import {
  type Activations,
  activationsOf,
  keptBytes,
  layerStates,
  memoryNumbers,
  statesOf,
} from '../../cost/memory/memory-numbers.ts'
import { type CostModel, stageModel } from '../../cost/model.ts'
import { computeNumbers } from '../../cost/step/microbatch.ts'
import { once } from '../../known.ts'
import type { Problem } from '../../problem.ts'
import { unscheduled } from '../../recipe/schedule.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { ZeroStage } from '../../sharding/states.ts'
import type { Bytes } from '../../units.ts'
import { type LayersHeld, layoutShortBytes, type Uncut } from '../bound/layout-floor.ts'
import { fullestShortBytes } from '../bound/memory-floor.ts'
import { anyCuts, type StageCuts, stageCuts } from '../stages/stage-cuts.ts'
import type { OpenLayout } from './candidate.ts'
import { choiceAllowed, microbatchChoices, scheduleChoices, zeroChoices } from './choices.ts'

export interface LeanLayout {
  readonly layout: OpenLayout
  readonly cuts: StageCuts
  readonly memory: MemoryNumbers
}

/**
 * Whether `holds` of every layout that may be over the budget by no more than `most` bytes, which is asked again before each and may fall;
 * the first of which it does not ends the visit.
 */
export function everyLean(
  model: CostModel,
  mesh: Mesh,
  scale: Scale,
  most: () => Bytes,
  holds: (lean: LeanLayout) => boolean,
): boolean {
  const { problem, contextLayout } = model
  const { cluster, constraints } = problem
  const stages = leanStages(model, mesh, scale, most())
  if (stages.length === 0) return true
  return microbatchChoices(mesh, problem).every((microbatching) => {
    const { microbatches, sequences } = microbatching
    setBatch(scale, sequences)
    const kept = keptBytes(model, scale)
    const compute = once(() => computeNumbers(model, scale))
    const activations = once(() => activationsOf(model, scale))
    const choices = stages.map(({ zeroStage, floor, layers, memory }) => ({
      ...{ zeroStage, floor },
      layers: { ...layers, kept },
      memory: once(() => memory(activations())),
    }))
    return scheduleChoices(mesh, problem, microbatches).every((schedule) => {
      if (!anyCuts(model, mesh.pipeline, schedule)) return true
      const cuts = once(() => stageCuts(model, mesh.pipeline, schedule, microbatches, compute()))
      return choices.every(({ zeroStage, floor, layers, memory }) => {
        if (floor > most() || !choiceAllowed(constraints, zeroStage, microbatches, schedule)) return true
        const layout: OpenLayout = { cluster, mesh, zeroStage, contextLayout, ...microbatching, schedule }
        // Most fall by what their layers hold on average, for which little has to be computed.
        if (layoutShortBytes(model, layout, layers) > most()) return true
        if (fullestShortBytes(model, layout, memory()) > most()) return true
        const own = cuts()
        return own === null || holds({ layout, cuts: own, memory: memory() })
      })
    })
  })
}

interface LeanStage {
  readonly zeroStage: ZeroStage
  /** Bytes over the budget of any layout of the mesh under this ZeRO stage. */
  readonly floor: Bytes
  readonly layers: Omit<LayersHeld, 'kept'>
  readonly memory: (activations: Activations) => MemoryNumbers
}

/** The ZeRO stages of a mesh that may be over the budget by no more than `most` bytes; leaves the mesh in the scale. */
function leanStages(model: CostModel, mesh: Mesh, scale: Scale, most: Bytes): readonly LeanStage[] {
  const floors = stageFloors(model, mesh, scale).filter(({ floor }) => floor <= most)
  const activations = once(() => activationsOf(model, scale))
  return floors.flatMap(({ zeroStage, layers }) => {
    const stage = stageModel(model, zeroStage)
    const states = statesOf(model, stage, scale)
    const memory = (own: Activations) => memoryNumbers(model, stage, scale, own, states)
    // A chip with two stages may hold less of the ends' optimizer states than one with one.
    const inner = mesh.pipeline === 1 ? states : { ...states, ...noEnds }
    const numbers = memoryNumbers(model, stage, scale, activations(), inner)
    const floor = fullestShortBytes(model, leanestOf(mesh), numbers)
    return floor <= most ? [{ zeroStage, floor, layers, memory }] : []
  })
}

/** The least bytes over the budget that any layout of a mesh can have; leaves the mesh in the scale. */
export function meshShortBytes(model: CostModel, mesh: Mesh, scale: Scale): Bytes {
  return Math.min(...stageFloors(model, mesh, scale).map(({ floor }) => floor))
}

/** Of each ZeRO stage, by what its layers hold on average; leaves the smallest microbatch in the scale. */
function stageFloors(
  model: CostModel,
  mesh: Mesh,
  scale: Scale,
): readonly Pick<LeanStage, 'zeroStage' | 'floor' | 'layers'>[] {
  const { problem } = model
  setMesh(scale, mesh, model.extents, problem.assumptions)
  setBatch(scale, fewestSequences(mesh, problem))
  const kept = keptBytes(model, scale)
  const reserve = reserveBytes(problem)
  return zeroChoices(mesh, problem).map((zeroStage) => {
    const layer = layerStates(model, stageModel(model, zeroStage), scale)
    const layers = { layer, shardsOptimizer: zeroStage > 0, reserve }
    return { zeroStage, layers, floor: layoutShortBytes(model, leanestOf(mesh), { ...layers, kept }) }
  })
}

const nothing: StateNumbers = {
  weights: 0,
  gradients: 0,
  optimizer: 0,
  onHost: 0,
  gathered: 0,
  unscattered: 0,
}

const noEnds = { embedding: nothing, positions: nothing, head: nothing }

/** No schedule has fewer microbatches in flight, nor states of fewer layers on a chip. */
function leanestOf(mesh: Mesh): Uncut {
  return { mesh, schedule: unscheduled, microbatches: 1 }
}

function fewestSequences(mesh: Mesh, problem: Problem): number {
  return Math.min(...microbatchChoices(mesh, problem).map(({ sequences }) => sequences))
}
