/**
 * Rules for a mesh that follow from the model and its batch (formulas 17). Training requires heads and experts to
 * divide evenly, so that no chip is left without work; inference pads heads where the assumptions say so, and puts
 * copies of experts into slots that are left over (model/expert-slots.ts).
 */
import { chipsAsked } from '../hardware/cluster/cluster.ts'
import { divisorsOf } from '../hardware/cluster/divisors.ts'
import { expertSlots } from '../model/expert-slots.ts'
import { counted } from '../plan/explain/figures.ts'
import type { Setting } from '../problem.ts'
import { type Axis, type Mesh, meshSize, replicasOf } from '../sharding/axis.ts'
import {
  copiedKeys,
  groupsOfHeads,
  heads,
  paddedHeads,
  pooledPositions,
  recurrentHeads,
  sharedKeys,
} from './heads.ts'
import { enoughHosts } from './hosts.ts'
import type { MeshRule } from './mesh-question.ts'
import { axisPointer, changes, resized, sizesOf, sizesThatDivide, upTo } from './mesh-ways.ts'

/** The chips that are to work: all that were asked for, unless the request pins their number. */
export function chipsToUse({ cluster, constraints }: Pick<Setting, 'cluster' | 'constraints'>): number {
  return typeof constraints.chips === 'number' ? constraints.chips : chipsAsked(cluster)
}

const noExperts: MeshRule = {
  reads: ['expert'],
  broken: ({ mesh, question: { model } }) => mesh.expert > 1 && !model.experts,
  says: 'a dense model has no experts to shard',
  pointer: axisPointer('expert'),
  nearest: ({ mesh }) => resized(mesh, 'expert', [1]),
}

const wholeExperts: MeshRule = {
  reads: ['expert'],
  broken: ({ mesh: { expert }, question: { model } }) =>
    expert > 1 && model.experts !== null && model.experts.experts % expert !== 0,
  says: ({ mesh: { expert }, question: { model } }) =>
    `expert ${expert} does not divide the ${model.experts?.experts} experts`,
  pointer: axisPointer('expert'),
  nearest: ({ mesh, question: { model, chips } }) => {
    const sizes = sizesThatDivide(model.experts?.experts ?? 1, mesh, 'expert', chips)
    return resized(mesh, 'expert', sizes, chips)
  },
}

/** An expert axis with room for two full sets of the experts is refused: the data axis is for copies. */
const copiedExperts: MeshRule = {
  reads: ['expert'],
  broken: ({ mesh: { expert }, question: { model } }) =>
    expert > 1 && model.experts !== null && copies(model.experts.experts, expert) >= model.experts.experts,
  says: ({ mesh: { expert }, question: { model } }) =>
    `expert ${expert} would hold every one of the ${model.experts?.experts} experts at least twice: use data 2 instead`,
  pointer: axisPointer('expert'),
  nearest: ({ mesh, question: { model, chips } }) => {
    const experts = model.experts?.experts ?? 1
    const sizes = sizesOf(mesh, 'expert', chips).filter((size) => copies(experts, size) < experts)
    return resized(mesh, 'expert', sizes, chips)
  },
}

function copies(experts: number, chips: number): number {
  return expertSlots(experts, chips).redundant
}

const stages: MeshRule = {
  reads: ['pipeline'],
  broken: ({ mesh, question: { model } }) => mesh.pipeline > model.layers,
  says: ({ mesh, question: { model } }) =>
    `pipeline ${mesh.pipeline} is more than the ${model.layers} layers`,
  pointer: axisPointer('pipeline'),
  nearest: ({ mesh, question }) => upTo(question.model.layers, mesh, 'pipeline', question),
}

const sequencePositions: MeshRule = {
  reads: ['context'],
  broken: ({ mesh, question: { positions } }) => mesh.context > positions,
  says: ({ question: { positions } }) => `context is more than the ${positions} positions of a sequence`,
  pointer: axisPointer('context'),
  nearest: ({ mesh, question }) => upTo(question.positions, mesh, 'context', question),
}

const newPositions: MeshRule = {
  ...sequencePositions,
  says: ({ mesh, question: { positions } }) =>
    `context ${mesh.context} is more than the ${counted(positions, 'new position')} of a sequence${positions === 1 ? ' in a step' : ''}`,
}

/** The batch needs a sequence for each replica. The fix moves surplus chips to `other`: in training the context axis, which divides sequences. */
const replicas = (axisOf: (mesh: Mesh) => Axis, other: Axis) =>
  ({
    reads: ['replicas'],
    broken: ({ mesh, question: { sequences, freeTokens } }) =>
      freeTokens === null && sequences !== null && replicasOf(mesh) > sequences,
    pointer: ({ mesh }) => axisPointer(axisOf(mesh)),
    nearest: ({ mesh, question: { sequences } }) => {
      const axis = axisOf(mesh)
      const most = ((sequences ?? 1) * mesh[axis]) / replicasOf(mesh)
      const sizes = divisorsOf(mesh[axis]).filter((size) => size <= most)
      return resized(mesh, axis, sizes, meshSize(mesh), other)
    },
  }) as const satisfies Partial<MeshRule>

export const trainedReplicas: MeshRule = {
  ...replicas(({ data, fsdp }) => (fsdp > data ? 'fsdp' : 'data'), 'context'),
  says: ({ mesh, question: { sequences } }) =>
    `${replicaAxes(mesh)} = ${replicasOf(mesh)} is more than the ${sequences} sequences of the batch; the context axis shards a sequence`,
}

export const servedReplicas: MeshRule = {
  ...replicas(({ data, expert }) => (expert > data ? 'expert' : 'data'), 'tensor'),
  says: ({ mesh, question: { sequences } }) =>
    `${replicasOf(mesh)} replicas are more than the ${counted(sequences ?? 1, 'sequence')}`,
}

const freeTokens: MeshRule = {
  reads: ['replicas', 'context'],
  broken: ({ mesh, question }) =>
    question.freeTokens !== null && replicasOf(mesh) * mesh.context > question.freeTokens,
  says: ({ mesh }) =>
    `${replicaAxes(mesh)} x context = ${replicasOf(mesh) * mesh.context} is more than the batch has tokens`,
  pointer: axisPointer('fsdp'),
}

function replicaAxes({ expert }: Mesh): string {
  return expert > 1 ? 'data x fsdp x expert' : 'data x fsdp'
}

const gatheredStates: MeshRule = {
  reads: ['fsdp'],
  broken: ({ mesh }) => mesh.fsdp > 1,
  says: 'inference has no optimizer states to shard; weight-gathered layouts gather over tensor2',
  pointer: axisPointer('fsdp'),
  nearest: ({ mesh }) => [changes(mesh, { ...mesh, fsdp: 1, data: mesh.data * mesh.fsdp })],
}

export const trainedMeshRules: readonly MeshRule[] = [
  heads,
  sharedKeys,
  groupsOfHeads,
  recurrentHeads,
  pooledPositions,
  noExperts,
  wholeExperts,
  stages,
  sequencePositions,
  trainedReplicas,
  freeTokens,
]

/** fsdp has to be 1 in inference: only weight-gathered layouts gather weights at each step, over tensor2 (the book: no FSDP). */
export const servedMeshRules: readonly MeshRule[] = [
  gatheredStates,
  noExperts,
  copiedExperts,
  heads,
  paddedHeads,
  copiedKeys,
  recurrentHeads,
  pooledPositions,
  stages,
  newPositions,
  servedReplicas,
  enoughHosts,
]
