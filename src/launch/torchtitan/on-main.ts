/**
 * Which plans torchtitan's main can run, of those that its release can: not those of a model that has to be registered first. It gathers keys
 * and has no ring, recomputes all layers or none, and takes ranks for experts from tensor first, so that experts are never split.
 * Source: version.ts, torchtitan/distributed/{activation_checkpoint,parallel_dims}.py.
 */
import type { Transformer } from '../../model/transformer.ts'
import { unitMesh } from '../../sharding/axis.ts'
import { contextLayoutRow } from '../../sharding/tables/context-layout.ts'
import { expertRanks } from '../run/experts.ts'
import type { Run } from '../run/run.ts'
import { torchtitanFlavor } from './flavor.ts'
import { nearestConfig, type Registered } from './registry.ts'

/** The named config that a plan's command starts from: that of its flavor, or one of the same family; null if main cannot run the plan. */
export function configOnMain(run: Run): Registered | null {
  const { mesh, recomputation, contextLayout } = run
  const flavor = torchtitanFlavor(run)
  if (flavor === null || !flavor.known) return null
  const { model } = flavor
  const ring = mesh.context > 1 && contextLayoutRow(contextLayout).keys === 'own'
  const flexed = mesh.context > 1 && model.name === 'deepseek_v3'
  const split = expertRanks(run).ranks > 1 && mesh.tensor > 1
  if (ring || flexed || split || recomputation.count > 0) return null
  return nearestConfig(model.name, model.flavor)
}

/** Whether the model is one of torchtitan's own. */
export function isNamed(model: Transformer): boolean {
  return torchtitanFlavor({ model, mesh: unitMesh })?.known ?? false
}
