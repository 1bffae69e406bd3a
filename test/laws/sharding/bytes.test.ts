/** The book's bytes of each layout. */
import { describe, expect, it } from 'vitest'
import type { Axis, Mesh } from '../../../src/sharding/axis.ts'
import { type Derivation, movesOf } from '../../../src/sharding/derive.ts'
import type { Pass } from '../../../src/sharding/move.ts'
import { attention, embedding, mlp, unembedding } from '../../../src/sharding/tables/training-layout.ts'
import { block, dp, fsdp, layout, mixed, sizes, tensor, valueAt, weightStationary } from './strategies.ts'

const tokens = sizes.B * sizes.T
const { D, F } = sizes

/** Bytes in bf16 that one group sees, an AllReduce counted twice. */
function bytes(derivation: Derivation, pass: Pass, mesh: Partial<Mesh>): number {
  return movesOf(derivation)
    .filter((move) => move.pass === pass)
    .reduce(
      (sum, { operation, elements }) => sum + (operation === 'AllReduce' ? 4 : 2) * valueAt(elements, mesh),
      0,
    )
}

describe('the bytes of the book', () => {
  const [X, Y] = [8, 4]

  it('data parallelism: nothing forwards, 8DF backwards', () => {
    expect(bytes(dp, 'forward', { data: X })).toBe(0)
    expect(bytes(dp, 'backward', { data: X })).toBe(8 * D * F)
  })

  it('FSDP: 4DF forwards, 8DF backwards', () => {
    expect(bytes(fsdp, 'forward', { fsdp: X })).toBe(4 * D * F)
    expect(bytes(fsdp, 'backward', { fsdp: X })).toBe(8 * D * F)
  })

  it('tensor parallelism: 4BD forwards and backwards, 2BD more where In is gathered again', () => {
    expect(bytes(tensor, 'forward', { tensor: Y })).toBe(4 * tokens * D)
    expect(bytes(tensor, 'backward', { tensor: Y })).toBe(4 * tokens * D)
    expect(bytes(layout(block, ['tensor'], 0, true), 'backward', { tensor: Y })).toBe(6 * tokens * D)
  })

  it('FSDP with tensor parallelism: 4BD/X + 4DF/Y forwards, 4BD/X + 8DF/Y backwards', () => {
    const mesh = { fsdp: X, tensor: Y }
    expect(bytes(mixed, 'forward', mesh)).toBe((4 * tokens * D) / X + (4 * D * F) / Y)
    expect(bytes(mixed, 'backward', mesh)).toBe((4 * tokens * D) / X + (8 * D * F) / Y)
    const again = layout(block, ['fsdp', 'tensor'], 3, true)
    expect(bytes(again, 'backward', mesh)).toBe((6 * tokens * D) / X + (8 * D * F) / Y)
  })

  it("2D weight-stationary: 2BD/X + 4BF/YZ + 2BD/X, with the book's X and YZ", () => {
    const forward = layout(weightStationary, ['tensor', 'tensor2'], 0)
    const mesh = { tensor2: X, tensor: Y }
    expect(bytes(forward, 'forward', mesh)).toBe(
      (2 * tokens * D) / X + (4 * tokens * F) / Y + (2 * tokens * D) / X,
    )
  })

  it('ZeRO-1 and ZeRO-2 move over a step what data parallelism does, 8DF', () => {
    for (const stage of [1, 2] as const) {
      const zero = layout(block, ['data'], stage)
      expect(bytes(zero, 'backward', { data: X }) + bytes(zero, 'step', { data: X })).toBe(8 * D * F)
    }
  })

  it('HSDP reduces a gradient that is divided over the shards', () => {
    const hsdp = layout(block, ['data', 'fsdp'], 3)
    const reduced = movesOf(hsdp).filter(({ operation }) => operation === 'AllReduce')
    expect(reduced.map(({ elements }) => valueAt(elements, { data: 4, fsdp: X }))).toEqual([
      (D * F) / X,
      (D * F) / X,
    ])
  })

  it('context parallelism: keys and values have K heads, not N', () => {
    const ring = layout(attention('feature'), ['context'], 0)
    expect(bytes(ring, 'forward', { context: X })).toBe(2 * 2 * tokens * sizes.K * sizes.H)
  })

  it.each<readonly Axis[]>([
    ['tensor'],
    ['fsdp', 'tensor'],
    ['tensor', 'tensor2'],
    ['context', 'tensor'],
    ['data', 'fsdp', 'tensor', 'tensor2', 'context'],
  ])('a residual along the sequence moves the same bytes as one along D (%s, %s, %s)', (...active) => {
    const mesh = { data: 2, fsdp: 4, tensor: 8, tensor2: 2, context: 4 }
    for (const part of [
      attention,
      embedding,
      unembedding,
      (residual: 'sequence' | 'feature') => mlp(residual, true),
    ]) {
      for (const pass of ['forward', 'backward', 'step'] as const) {
        const along = (residual: 'sequence' | 'feature') =>
          bytes(layout(part(residual), active.filter(Boolean), 3), pass, mesh)
        expect(along('sequence')).toBe(along('feature'))
      }
    }
  })
})
