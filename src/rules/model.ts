/**
 * What a model and its batch forbid of a mesh, a row each (formulas 17). Training divides heads and experts evenly, or for what the mesh has
 * too many of there is nothing to do; inference fills heads up where the assumptions say so, and keeps copies of experts in slots that are
 * left over (model/expert-slots.ts).
 */
import { divisorsOf } from '../hardware/cluster/divisors.ts'
import { expertSlots } from '../model/expert-slots.ts'
import type { Transformer } from '../model/transformer.ts'
import { type Axis, type Mesh, replicasOf } from '../sharding/axis.ts'
import { axisPointer, changes, resized, sizesOf, sizesThatDivide } from './mesh-ways.ts'
import type { PartRule } from './part-rule.ts'

/** What all meshes of one question are held to. */
export interface MeshQuestion {
  readonly model: Transformer
  /** New positions of a sequence, which the context axis shares out. */
  readonly positions: number
  /** Sequences that replicas share out; null where memory sets their number. */
  readonly sequences: number | null
  /** Tokens of the batch where these divide freely, whatever sequence they are of; else null. */
  readonly freeTokens: number | null
  /** Heads that do not divide are filled up to the next power of two. */
  readonly padsHeads: boolean
}

export interface MeshRead {
  readonly mesh: Mesh
  readonly question: MeshQuestion
}

export type MeshRule = PartRule<MeshRead, Axis>

const tensorAxes = ['tensor', 'tensor2'] as const
const tensorsOf = ({ tensor, tensor2 }: Mesh) => tensor * tensor2

const heads: MeshRule = {
  reads: tensorAxes,
  broken: ({ mesh, question: { model, padsHeads } }) => !padsHeads && model.heads % tensorsOf(mesh) !== 0,
  says: ({ mesh, question: { model } }) =>
    `tensor x tensor2 = ${tensorsOf(mesh)} does not divide ${model.heads} heads`,
  pointer: axisPointer('tensor'),
  nearest: ({ mesh, question: { model } }) =>
    resized(mesh, 'tensor', sizesThatDivide(model.heads / mesh.tensor2, mesh, 'tensor')),
}

const paddedHeads: MeshRule = {
  reads: tensorAxes,
  broken: ({ mesh, question: { model, padsHeads } }) => padsHeads && tensorsOf(mesh) > padded(model),
  says: ({ mesh, question: { model } }) =>
    `tensor x tensor2 = ${tensorsOf(mesh)} is more than ${model.heads} heads padded to a power of two`,
  pointer: axisPointer('tensor'),
  nearest: ({ mesh, question: { model } }) => upTo(padded(model) / mesh.tensor2, mesh, 'tensor'),
}

/** The next power of two. */
function padded({ heads: count }: Transformer): number {
  return 2 ** Math.ceil(Math.log2(count))
}

const sharedKeys: MeshRule = {
  reads: tensorAxes,
  broken: ({ mesh, question: { model } }) => !shared(model.kvHeads, tensorsOf(mesh)),
  says: ({ mesh, question: { model } }) =>
    `${model.kvHeads} key-value heads can be neither divided nor replicated over tensor x tensor2 = ${tensorsOf(mesh)}`,
  pointer: axisPointer('tensor'),
  nearest: ({ mesh, question: { model } }) => keySizes(mesh, model),
}

/** Fewer chips than key-value heads may have unlike numbers of these. */
const copiedKeys: MeshRule = {
  reads: tensorAxes,
  broken: ({ mesh, question: { model, padsHeads } }) => {
    const tensors = tensorsOf(mesh)
    return !padsHeads && !model.attention.latent && tensors > model.kvHeads && tensors % model.kvHeads !== 0
  },
  says: ({ mesh, question: { model } }) =>
    `${model.kvHeads} key-value heads cannot be replicated over tensor x tensor2 = ${tensorsOf(mesh)}`,
  pointer: axisPointer('tensor'),
  nearest: ({ mesh, question: { model } }) => keySizes(mesh, model),
}

/** A head on several chips, or several heads on each. */
function shared(kvHeads: number, tensors: number): boolean {
  return tensors > kvHeads ? tensors % kvHeads === 0 : kvHeads % tensors === 0
}

function keySizes(mesh: Mesh, { kvHeads }: Transformer) {
  const sizes = sizesOf(mesh, 'tensor').filter((size) => shared(kvHeads, size * mesh.tensor2))
  return resized(mesh, 'tensor', sizes)
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
    `${expert} does not divide the ${model.experts?.experts} experts`,
  pointer: axisPointer('expert'),
  nearest: ({ mesh, question: { model } }) =>
    resized(mesh, 'expert', sizesThatDivide(model.experts?.experts ?? 1, mesh, 'expert')),
}

/** Room for a second set of all experts is what the data axis is for. */
const copiedExperts: MeshRule = {
  reads: ['expert'],
  broken: ({ mesh: { expert }, question: { model } }) =>
    expert > 1 && model.experts !== null && copies(model.experts.experts, expert) >= model.experts.experts,
  says: ({ mesh: { expert }, question: { model } }) =>
    `${expert} chips have room for two sets of the ${model.experts?.experts} experts: that is data 2`,
  pointer: axisPointer('expert'),
  nearest: ({ mesh, question: { model } }) => {
    const experts = model.experts?.experts ?? 1
    const sizes = sizesOf(mesh, 'expert').filter((size) => copies(experts, size) < experts)
    return resized(mesh, 'expert', sizes)
  },
}

function copies(experts: number, chips: number): number {
  return expertSlots(experts, chips).redundant
}

const stages: MeshRule = {
  reads: ['pipeline'],
  broken: ({ mesh, question: { model } }) => mesh.pipeline > model.layers,
  says: ({ mesh, question: { model } }) => `${mesh.pipeline} stages for ${model.layers} layers`,
  pointer: axisPointer('pipeline'),
  nearest: ({ mesh, question: { model } }) => upTo(model.layers, mesh, 'pipeline'),
}

const sequencePositions: MeshRule = {
  reads: ['context'],
  broken: ({ mesh, question: { positions } }) => mesh.context > positions,
  says: ({ question: { positions } }) => `a sequence of ${positions} has fewer positions`,
  pointer: axisPointer('context'),
  nearest: ({ mesh, question: { positions } }) => upTo(positions, mesh, 'context'),
}

const newPositions: MeshRule = {
  ...sequencePositions,
  says: ({ mesh, question: { positions } }) =>
    `${positions} new positions cannot be shared by ${mesh.context}`,
}

/** What the batch has too few sequences for goes to another axis: of training one that shards a sequence. */
const replicas = (axisOf: (mesh: Mesh) => Axis, other: Axis) =>
  ({
    reads: ['data', 'fsdp', 'expert'],
    broken: ({ mesh, question: { sequences, freeTokens } }) =>
      freeTokens === null && sequences !== null && replicasOf(mesh) > sequences,
    pointer: ({ mesh }) => axisPointer(axisOf(mesh)),
    nearest: ({ mesh, question: { sequences } }) => {
      const axis = axisOf(mesh)
      const most = ((sequences ?? 1) * mesh[axis]) / replicasOf(mesh)
      const sizes = divisorsOf(mesh[axis]).filter((size) => size <= most)
      return resized(mesh, axis, sizes, other)
    },
  }) as const satisfies Partial<MeshRule>

export const trainedReplicas: MeshRule = {
  ...replicas(({ data, fsdp }) => (fsdp > data ? 'fsdp' : 'data'), 'context'),
  says: ({ mesh, question: { sequences } }) =>
    `${replicaAxes(mesh)} = ${replicasOf(mesh)} is more than the ${sequences} sequences of the batch; the context axis shards a sequence`,
}

export const servedReplicas: MeshRule = {
  ...replicas(({ data, expert }) => (expert > data ? 'expert' : 'data'), 'tensor'),
  says: ({ mesh, question: { sequences } }) => `${replicasOf(mesh)} replicas for ${sequences} sequences`,
}

const freeTokens: MeshRule = {
  reads: ['data', 'fsdp', 'expert', 'context'],
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

/** Sizes that replicas make up for, of at most so many chips. */
function upTo(most: number, mesh: Mesh, axis: Axis) {
  return resized(
    mesh,
    axis,
    sizesOf(mesh, axis).filter((size) => size <= most),
  )
}

export const trainedMeshRules: readonly MeshRule[] = [
  heads,
  sharedKeys,
  noExperts,
  wholeExperts,
  stages,
  sequencePositions,
  trainedReplicas,
  freeTokens,
]

/** Nothing is gathered every step but by the layouts that say so, so that fsdp is 1 (the book: no FSDP). */
export const servedMeshRules: readonly MeshRule[] = [
  gatheredStates,
  noExperts,
  copiedExperts,
  heads,
  paddedHeads,
  copiedKeys,
  stages,
  newPositions,
  servedReplicas,
]
