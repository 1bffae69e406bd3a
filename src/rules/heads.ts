/** Rules for the axes that share out heads: of queries, of keys and values, and of a recurrence. */
import { sharedHeads } from '../model/recurrence.ts'
import type { Transformer } from '../model/transformer.ts'
import type { Mesh } from '../sharding/axis.ts'
import type { MeshQuestion, MeshRule } from './mesh-question.ts'
import { axisPointer, resized, sizesOf, sizesThatDivide, upTo } from './mesh-ways.ts'

const tensorAxes = ['tensor', 'tensor2'] as const
const tensorsOf = ({ tensor, tensor2 }: Mesh) => tensor * tensor2

export const heads: MeshRule = {
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

export const paddedHeads: MeshRule = {
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

export const sharedKeys: MeshRule = {
  reads: tensorAxes,
  broken: ({ mesh, question: { model } }) => !shared(model.kvHeads, tensorsOf(mesh)),
  says: ({ mesh, question: { model } }) =>
    `${model.kvHeads} key-value heads can be neither divided nor replicated over tensor x tensor2 = ${tensorsOf(mesh)}`,
  pointer: axisPointer('tensor'),
  nearest: ({ mesh, question }) => keySizes(mesh, question),
}

/** Only more chips than key-value heads are tested: with fewer, chips may hold unequal numbers of heads. */
export const copiedKeys: MeshRule = {
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
export const recurrentHeads: MeshRule = {
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

/** Groups of heads each have a low rank of results, which tensor ranks share out whole. In inference a chip may have a whole group beside others. */
export const groupsOfHeads: MeshRule = {
  reads: tensorAxes,
  broken: ({ mesh, question: { model } }) => outputGroups(model) % tensorsOf(mesh) !== 0,
  says: ({ mesh, question: { model } }) =>
    `tensor x tensor2 = ${tensorsOf(mesh)} does not divide the ${outputGroups(model)} groups of heads whose results have a low rank each`,
  pointer: axisPointer('tensor'),
  nearest: ({ mesh, question: { model, chips } }) => {
    const sizes = sizesThatDivide(outputGroups(model) / mesh.tensor2, mesh, 'tensor', chips)
    return resized(mesh, 'tensor', sizes, chips)
  },
}

/** 0, which all sizes divide, where heads are in no groups. */
function outputGroups({ attention: { compressed } }: Transformer): number {
  return compressed?.outputGroups ?? 0
}

/** What moves between chips that pool and choose among each other's positions is not modelled. */
export const pooledPositions: MeshRule = {
  reads: ['context'],
  broken: ({ mesh, question: { model } }) => mesh.context > 1 && model.attention.compressed !== undefined,
  says: 'what chips send each other of pooled positions, where context shares these out, is not modelled',
  pointer: axisPointer('context'),
  nearest: ({ mesh, question: { chips } }) => resized(mesh, 'context', [1], chips),
}
