/**
 * The layouts of a mesh that may need little memory, each with its cuts and with what it holds. The others are passed over by floors of
 * memory (bound/memory-floor.ts), the sooner the less is computed for them: a ZeRO stage by its states and the smallest microbatch, a
 * layout by what its stages hold together.
 */
import { type Scale, setBatch, setMesh } from '../../cost/compile/term.ts'
import { reserveBytes } from '../../cost/memory/budget.ts'
import type { MemoryNumbers } from '../../cost/memory/layer-bytes.ts'
import {
  activationsOf,
  keptBytes,
  layerStates,
  memoryNumbers,
  statesOf,
} from '../../cost/memory/memory-numbers.ts'
import { type CostModel, stageModel } from '../../cost/model.ts'
import { computeNumbers } from '../../cost/step/microbatch.ts'
import { once } from '../../known.ts'
import type { Mesh } from '../../sharding/axis.ts'
import type { Bytes } from '../../units.ts'
import { layoutShortBytes } from '../bound/layout-floor.ts'
import { leastShortOf, meshShortBytes } from '../bound/memory-floor.ts'
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
  const { assumptions, cluster, constraints } = problem
  const reserve = reserveBytes(problem)
  setMesh(scale, mesh, model.extents, assumptions)
  const stages = zeroChoices(mesh, problem)
    .map((zeroStage) => ({ zeroStage, floor: meshShortBytes(model, mesh, zeroStage, scale) }))
    .filter(({ floor }) => floor <= most())
    .map(({ zeroStage, floor }) => {
      const stage = stageModel(model, zeroStage)
      const held = { layer: layerStates(model, stage, scale), shardsOptimizer: zeroStage > 0, reserve }
      return { zeroStage, floor, stage, held, states: once(() => statesOf(model, stage, scale)) }
    })
  if (stages.length === 0) return true
  return microbatchChoices(mesh, problem).every((microbatching) => {
    const { microbatches, sequences } = microbatching
    setBatch(scale, sequences)
    const kept = keptBytes(model, scale)
    const compute = once(() => computeNumbers(model, scale))
    const activations = once(() => activationsOf(model, scale))
    const choices = stages.map(({ zeroStage, floor, stage, held, states }) => ({
      ...{ zeroStage, floor },
      layers: { ...held, kept },
      memory: once(() => memoryNumbers(model, stage, scale, activations(), states())),
    }))
    return scheduleChoices(mesh, problem, microbatches).every((schedule) => {
      if (!anyCuts(model, mesh.pipeline, schedule)) return true
      const cuts = once(() => stageCuts(model, mesh.pipeline, schedule, microbatches, compute()))
      return choices.every(({ zeroStage, floor, layers, memory }) => {
        if (floor > most() || !choiceAllowed(constraints, zeroStage, microbatches, schedule)) return true
        const layout: OpenLayout = { cluster, mesh, zeroStage, contextLayout, ...microbatching, schedule }
        // Most fall by what their layers hold on average, for which little has to be computed.
        if (layoutShortBytes(model, layout, layers) > most()) return true
        if (leastShortOf(model, layout, memory()) > most()) return true
        const own = cuts()
        return own === null || holds({ layout, cuts: own, memory: memory() })
      })
    })
  })
}
