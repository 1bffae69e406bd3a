/**
 * Rules for a mesh that follow from the model and its batch (formulas 17). Training requires heads and experts to
 * divide evenly, so that no chip is left without work; inference pads heads where the assumptions say so, and puts
 * copies of experts into slots that are left over (model/expert-slots.ts).
 */
import { chipsAsked } from '../hardware/cluster/cluster.ts'
import { divisorsOf } from '../hardware/cluster/divisors.ts'
import { expertSlots } from '../model/expert-slots.ts'
import { sharedHeads } from '../model/recurrence.ts'
import type { Transformer } from '../model/transformer.ts'
import type { Setting } from '../problem.ts'
import { type Axis, type Mesh, meshSize, replicasOf } from '../sharding/axis.ts'
import { axisPointer, changes, resized, sizesOf, sizesThatDivide } from './mesh-ways.ts'
import type { PartRule } from './part-rule.ts'

/** The part of a question that its meshes are tested against. */
export interface MeshQuestion {
  readonly model: Transformer
  /** The chips that are to work, also where the mesh leaves some of them idle. */
  readonly chips: number
  /** New positions of a sequence, which the context axis divides. */
  readonly positions: number
  /** Sequences that the replicas divide; null where memory sets their number. */
  readonly sequences: number | null
  /** Tokens of the batch, where the assumptions let them divide regardless of sequences; otherwise null. */
  readonly freeTokens: number | null
  /** Whether heads that do not divide are padded to the next power of two. */
  readonly padsHeads: boolean
}

/** The chips that are to work: all that were asked for, unless the request pins their number. */
export function chipsToUse({ cluster, constraints }: Pick<Setting, 'cluster' | 'constraints'>): number {
  return typeof constraints.chips === 'number' ? constraints.chips : chipsAsked(cluster)
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
  nearest: ({ mesh, question: { model, chips } }) => {
    const sizes = sizesThatDivide(model.heads / mesh.tensor2, mesh, 'tensor', chips)
    return resized(mesh, 'tensor', sizes, chips)
  },
}

const paddedHeads: MeshRule = {
  reads: tensorAxes,
  broken: ({ mesh, question: { model, padsHeads } }) => padsHeads && tensorsOf(mesh) > padded(model),
  says: ({ mesh, question: { model } }) =>
    `tensor x tensor2 = ${tensorsOf(mesh)} is more than ${model.heads} heads padded to a power of two`,
  pointer: axisPointer('tensor'),
  nearest: ({ mesh, question }) => upTo(padded(question.model) / mesh.tensor2, mesh, 'tensor', question),
}

/** Heads, rounded up to a power of two. */
function padded({ heads: count }: Transformer): number {
  return 2 ** Math.ceil(Math.log2(count))
}

const sharedKeys: MeshRule = {
  reads: tensorAxes,
  broken: ({ mesh, question: { model } }) => !shared(model.kvHeads, tensorsOf(mesh)),
  says: ({ mesh, question: { model } }) =>
    `${model.kvHeads} key-value heads can be neither divided nor replicated over tensor x tensor2 = ${tensorsOf(mesh)}`,
  pointer: axisPointer('tensor'),
  nearest: ({ mesh, question }) => keySizes(mesh, question),
}

/** Only more chips than key-value heads are tested: with fewer, chips may hold unequal numbers of heads. */
const copiedKeys: MeshRule = {
  reads: tensorAxes,
  broken: ({ mesh, question: { model, padsHeads } }) => {
    const tensors = tensorsOf(mesh)
    return !padsHeads && !model.attention.latent && tensors > model.kvHeads && tensors % model.kvHeads !== 0
  },
  says: ({ mesh, question: { model } }) =>
    `${model.kvHeads} key-value heads cannot be replicated over tensor x tensor2 = ${tensorsOf(mesh)}`,
  pointer: axisPointer('tensor'),
  nearest: ({ mesh, question }) => keySizes(mesh, question),
}

/** Whether each head is on the same number of chips, or each chip has the same number of heads. */
function shared(kvHeads: number, tensors: number): boolean {
  return tensors > kvHeads ? tensors % kvHeads === 0 : kvHeads % tensors === 0
}

function keySizes(mesh: Mesh, { model: { kvHeads }, chips }: MeshQuestion) {
  const sizes = sizesOf(mesh, 'tensor', chips).filter((size) => shared(kvHeads, size * mesh.tensor2))
  return resized(mesh, 'tensor', sizes, chips)
}

/** Heads of a recurrence are shared out over tensor and context: its state has no positions. */
const recurrentHeads: MeshRule = {
  reads: [...tensorAxes, 'context'],
  broken: ({ mesh, question: { model } }) => {
    const heads = sharedHeads(model)
    return heads !== null && heads % (tensorsOf(mesh) * mesh.context) !== 0
  },
  says: ({ mesh, question: { model } }) =>
    `tensor x tensor2 x context = ${tensorsOf(mesh) * mesh.context} does not divide the ${sharedHeads(model)} heads of keys of a recurrence, whose state has no positions to share out`,
  pointer: ({ mesh }) => axisPointer(mesh.context > 1 ? 'context' : 'tensor'),
  nearest: ({ mesh, question: { model, chips } }) => {
    const axis = mesh.context > 1 ? 'context' : 'tensor'
    const others = (tensorsOf(mesh) * mesh.context) / mesh[axis]
    const sizes = sizesThatDivide((sharedHeads(model) ?? 1) / others, mesh, axis, chips)
    return resized(mesh, axis, sizes, chips)
  },
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
    `context ${mesh.context} is more than the ${positions} new positions of a prompt`,
}

/** The batch needs a sequence for each replica. The fix moves surplus chips to `other`: in training the context axis, which divides sequences. */
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
    `${replicasOf(mesh)} replicas are more than the ${sequences} sequences`,
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

/** Ways to each size of the axis of at most `most` that the replicas can make up for. */
function upTo(most: number, mesh: Mesh, axis: Axis, { chips }: MeshQuestion) {
  const sizes = sizesOf(mesh, axis, chips).filter((size) => size <= most)
  return resized(mesh, axis, sizes, chips)
}

export const trainedMeshRules: readonly MeshRule[] = [
  heads,
  sharedKeys,
  recurrentHeads,
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
  stages,
  newPositions,
  servedReplicas,
]
