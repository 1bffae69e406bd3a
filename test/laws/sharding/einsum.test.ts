import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { axesOfArray, type ShardedArray, without } from '../../../src/sharding/array.ts'
import type { Axis } from '../../../src/sharding/axis.ts'
import { type LocalProduct, localProduct } from '../../../src/sharding/einsum.ts'
import { law } from '../../law.ts'
import {
  denseProduct,
  gathered,
  multiplied,
  plain,
  simulatedMesh,
  sliced,
  spread,
  summed,
  type Tensor,
  tensorSize,
} from './simulated-mesh.ts'

const meshAxes: readonly Axis[] = ['fsdp', 'tensor', 'context']

interface Einsum {
  readonly out: ShardedArray
  readonly left: ShardedArray
  readonly right: ShardedArray
}

const sharded = (name: string, labels: readonly string[]): fc.Arbitrary<ShardedArray> =>
  fc.tuple(...meshAxes.map(() => fc.integer({ min: -1, max: labels.length - 1 }))).map((places) => ({
    name,
    kind: 'activation',
    role: 'other',
    dimensions: labels.map((label, at) => ({
      label,
      extent: label,
      axes: meshAxes.filter((_, axis) => places[axis] === at),
    })),
  }))

/** I rows, J columns, K contracted, and sometimes G on all three (heads); any axis on any dimension of any array. */
const einsums: fc.Arbitrary<Einsum> = fc
  .tuple(fc.boolean(), fc.boolean(), fc.boolean())
  .chain(([batched, columns, contracted]) => {
    const shared = batched ? ['G'] : []
    const summedOver = contracted ? ['K'] : []
    const out = [...shared, 'I', ...(columns ? ['J'] : [])]
    return fc.record({
      out: sharded('C', out),
      left: sharded('A', [...shared, 'I', ...summedOver]),
      right: sharded('B', [
        ...shared,
        ...summedOver,
        ...(columns ? ['J'] : []),
        ...(out.length > 1 ? [] : ['I']),
      ]),
    })
  })
  .filter(({ right }) => right.dimensions.length > 0)

function numbers(mesh: ReturnType<typeof simulatedMesh>, array: ShardedArray, seed: number): Tensor {
  const labels = array.dimensions.map(({ label }) => label)
  const values = Float64Array.from(
    { length: tensorSize(mesh, labels) },
    (_, at) => 1 + ((at * 7 + seed * 13 + ((at * at) % 11)) % 19),
  )
  return { labels, values }
}

/** The rule, carried out: gather, multiply what is there, reduce what is partial, slice. */
function carriedOut({ out, left, right }: Einsum) {
  const mesh = simulatedMesh(meshAxes, [out, left, right])
  const [a, b] = [numbers(mesh, left, 1), numbers(mesh, right, 2)]
  const rule = localProduct(out, left, right)
  const leftNow = gathered(mesh, spread(mesh, a, left), rule.gatherLeft)
  const rightNow = gathered(mesh, spread(mesh, b, right), rule.gatherRight)
  const labels = out.dimensions.map(({ label }) => label)
  const { result, multiplyAdds } = multiplied(mesh, labels, leftNow, rightNow)
  const whole = denseProduct(mesh, labels, a, b)
  return { mesh, rule, whole, result, multiplyAdds, leftNow, rightNow, labels, a, b }
}

describe('the rule for a sharded einsum, carried out with numbers on eight chips', () => {
  law('gives every chip its part of the dense product', 400, [einsums], (einsum) => {
    const { mesh, rule, whole, result } = carriedOut(einsum)
    const reduced = sliced(mesh, summed(mesh, result, rule.unreduced), einsum.out)
    expect(plain(reduced)).toEqual(plain(spread(mesh, whole, einsum.out)))
  })

  law('gathers an operand to what the algebra says is left of its sharding', 100, [einsums], (einsum) => {
    const { mesh, rule, leftNow, rightNow, a, b } = carriedOut(einsum)
    expect(plain(leftNow)).toEqual(plain(spread(mesh, a, without(einsum.left, rule.gatherLeft))))
    expect(plain(rightNow)).toEqual(plain(spread(mesh, b, without(einsum.right, rule.gatherRight))))
  })

  law('divides the work by exactly the axes that it names, evenly', 100, [einsums], (einsum) => {
    const { mesh, rule, multiplyAdds, a, b } = carriedOut(einsum)
    const all = tensorSize(mesh, [...new Set([...a.labels, ...b.labels])])
    expect(multiplyAdds).toEqual(multiplyAdds.map(() => all / 2 ** rule.divided.length))
  })

  law('names no gather and no reduction that could be left out', 100, [einsums], (einsum) => {
    const { mesh, rule, whole, a, b, labels } = carriedOut(einsum)
    const right = plain(spread(mesh, whole, einsum.out))
    const outcome = ({ gatherLeft, gatherRight, unreduced }: Omit<LocalProduct, 'divided'>) => {
      const leftNow = gathered(mesh, spread(mesh, a, einsum.left), gatherLeft)
      const rightNow = gathered(mesh, spread(mesh, b, einsum.right), gatherRight)
      const { result } = multiplied(mesh, labels, leftNow, rightNow)
      return plain(sliced(mesh, summed(mesh, result, unreduced), einsum.out))
    }
    for (const step of ['gatherLeft', 'gatherRight', 'unreduced'] as const) {
      for (const axis of rule[step]) {
        expect(outcome({ ...rule, [step]: rule[step].filter((other) => other !== axis) })).not.toEqual(right)
      }
    }
  })

  law('moves nothing where nothing is sharded', 100, [einsums], ({ out, left, right }) => {
    const bare = (array: ShardedArray) => without(array, axesOfArray(array))
    expect(localProduct(bare(out), bare(left), bare(right))).toEqual({
      gatherLeft: [],
      gatherRight: [],
      unreduced: [],
      divided: [],
    })
  })
})
