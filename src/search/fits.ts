/**
 * Whether anything fits at all: memory alone, no times; the meshes that shard most are tried first. A floor under all meshes is asked
 * before them: every weight, gradient and optimizer state is on some chip,
 *
 *   states of the whole model / chips + reserve <= budget
 */

import { createScale, type Scale, setBatch, setMesh } from '../cost/compile/term.ts'
import { costModel } from '../cost/compiled-model.ts'
import { memoryNumbers } from '../cost/memory/memory-numbers.ts'
import { fixedMemory } from '../cost/memory/stage-memory.ts'
import { type CostModel, stageModel } from '../cost/model.ts'
import { onlyStage } from '../cost/step/stages.ts'
import { canBePlaced } from '../hardware/network/placement.ts'
import { never, type Stop } from '../patience.ts'
import type { Problem } from '../problem.ts'
import { type Mesh, unitMesh } from '../sharding/axis.ts'
import { zeroStages } from '../sharding/states.ts'
import { contextLayoutRow } from '../sharding/tables/context-layout.ts'
import type { Bytes } from '../units.ts'
import { everyLean, type LeanLayout } from './layouts/lean-layouts.ts'
import { bySharding, enumerateMeshes } from './meshes/meshes.ts'
import { anyCutFits } from './stages/stage-cuts.ts'

/** False when it is told to stop before something was found. */
export function anythingFits(problem: Problem, stop: Stop = never): boolean {
  // No layout needs less memory than one that holds only its own keys.
  const leanest = problem.assumptions.contextLayouts.find((name) => contextLayoutRow(name).keys === 'own')
  const model = costModel(problem, leanest)
  if (statesFloor(model) > problem.memoryBudget) return false
  return anyFits(model, enumerateMeshes(problem, stop).allowed, stop)
}

/** Whether any of the meshes has a layout that fits; false when it is told to stop before one was found. */
export function anyFits(model: CostModel, meshes: readonly Mesh[], stop: Stop): boolean {
  const scale = createScale()
  return bySharding(meshes).some((mesh) => !stop() && meshFits(model, mesh, scale))
}

/** Whether any layout of a mesh fits. */
export function meshFits(model: CostModel, mesh: Mesh, scale: Scale): boolean {
  const { problem } = model
  const fits = ({ cuts, memory }: LeanLayout) => anyCutFits(cuts, memory, problem)
  const none = everyLean(
    model,
    mesh,
    scale,
    () => 0,
    (lean) => !fits(lean),
  )
  return !none && canBePlaced(problem.cluster.network, mesh)
}

/** The least that the average chip holds: its share of the states, however they are sharded, and the reserve. */
export function statesFloor(model: CostModel): Bytes {
  const { chips } = model.problem.cluster
  return Math.min(...statesBytes(model).map(({ states, reserve }) => states / chips + reserve)) * (1 - 1e-12)
}

/** The fewest chips that the states of the model fit on. */
export function leastChips(model: CostModel): number {
  const { memoryBudget } = model.problem
  const counts = statesBytes(model).map(({ states, reserve }) => {
    return reserve < memoryBudget ? states / (memoryBudget - reserve) : Number.POSITIVE_INFINITY
  })
  return Math.min(...counts) * (1 - 1e-12)
}

/** Bytes of the states of the whole model, and each chip's reserve, by ZeRO stage. */
function statesBytes(model: CostModel): readonly { readonly states: Bytes; readonly reserve: Bytes }[] {
  const { model: transformer, assumptions } = model.problem
  const scale = createScale()
  setMesh(scale, unitMesh, model.extents, assumptions)
  setBatch(scale, 1)
  const all = onlyStage(transformer.layers, null)
  return zeroStages.map((zeroStage) => {
    const memory = fixedMemory(memoryNumbers(model, stageModel(model, zeroStage), scale), all)
    return { states: memory.parameters + memory.gradients + memory.optimizer, reserve: memory.reserve }
  })
}
