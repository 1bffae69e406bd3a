/** The book's layouts of an MLP of two matrices, and its notation for what moves. */
import { transformer } from '../../../src/model/architecture.ts'
import { type ShardedArray, shardedArray } from '../../../src/sharding/array.ts'
import { type Axis, axes, axisBit, type Mesh } from '../../../src/sharding/axis.ts'
import { type Component, restricted } from '../../../src/sharding/component.ts'
import { type Derivation, derive, movesOf } from '../../../src/sharding/derive.ts'
import type { Monomial } from '../../../src/sharding/monomial.ts'
import { type Move, moveNotation, type Pass } from '../../../src/sharding/move.ts'
import type { ZeroStage } from '../../../src/sharding/states.ts'
import { mlp } from '../../../src/sharding/tables/training-layout.ts'

export const letters = 'data:R fsdp:X tensor:Y tensor2:Z context:C'.split(' ').map((word) => word.split(':'))
export const letter = (axis: Axis) => letters.find(([name]) => name === axis)?.[1] ?? '?'
export const short = { AllGather: 'AG', ReduceScatter: 'RS', AllReduce: 'AR', AllToAll: 'A2A' }

/** `AG_X(W_in)`: the book's way to say what moves. */
export function terms(derivation: Derivation, pass: Pass, every?: Move['every']): string {
  return movesOf(derivation)
    .filter((move) => move.pass === pass && (every === undefined || move.every === every))
    .map(({ operation, over, array }) => `${short[operation]}_${over.map(letter).join('')}(${array})`)
    .join(' ')
}

/** The lines of one pass, as printed. */
export function algorithm(derivation: Derivation): string {
  const lines = derivation.lines.map((line) =>
    line.kind === 'move' ? moveNotation(line.move) : line.product.notation,
  )
  return `\n${lines.join('\n')}\n`
}

export function layout(
  component: Component,
  active: readonly Axis[],
  zeroStage: ZeroStage,
  regatherActivations = false,
): Derivation {
  return derive(restricted(component, active), { zeroStage, active, regatherActivations })
}

/** The book's two matrices, residual along D. */
export const block = mlp('feature', false)
export const dp = layout(block, ['data'], 0)
export const fsdp = layout(block, ['fsdp'], 3)
export const tensor = layout(block, ['tensor'], 0)
export const mixed = layout(block, ['fsdp', 'tensor'], 3)

export function pick({ operation, array, kind, pass, every }: Move) {
  return { operation, array, kind, pass, every }
}

/** D over tensor2, F over tensor, and Tmp whole over tensor2: weights stay, activations move (the book, chapter 7). */
export const weightStationary: Component = {
  name: 'mlp',
  arrays: {
    ...arrays('activation', { In: 'B T D_ZY', Tmp: 'B T F_Y', Out: 'B T D_ZY' }),
    ...arrays('weight', { W_in: 'D_Z F_Y', W_out: 'F_Y D_Z' }),
  },
  einsums: block.einsums,
}

export function arrays(
  kind: ShardedArray['kind'],
  notations: Record<string, string>,
): Record<string, ShardedArray> {
  return Object.fromEntries(
    Object.entries(notations).map(([name, notation]) => [name, shardedArray(name, kind, notation)]),
  )
}

export const palm = transformer('palm', {
  layers: 2,
  dModel: 64,
  dFf: 256,
  heads: 4,
  kvHeads: 1,
  headDim: 16,
  vocab: 100,
  gatedMlp: true,
  tiedEmbeddings: true,
  parallelBlocks: true,
})

export const sizes = { B: 3, T: 512, D: 1024, F: 4096, N: 16, K: 4, H: 64, V: 32_000 }

export function valueAt({ coefficient, extents, divide }: Monomial, mesh: Partial<Mesh>): number {
  const extent = extents.reduce(
    (product, name) => product * (sizes[name as keyof typeof sizes] ?? Number.NaN),
    1,
  )
  const shards = axes.reduce(
    (product, axis) => (divide & axisBit[axis] ? product * (mesh[axis] ?? 1) : product),
    1,
  )
  return (coefficient * extent) / shards
}
