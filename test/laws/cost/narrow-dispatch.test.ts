/** In what type tokens go to experts in training where these multiply in fewer bits than activations are kept in. */
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { stackAssumptions } from '../../../src/assumptions/stack.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { elementBytes } from '../../../src/recipe/element-type.ts'
import type { ElementType } from '../../../src/recipe/element-types.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { publishedStacks } from '../../accuracy/stack-of.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

function planOf(compute: ElementType, said: Partial<Assumptions>, chip = 'b200-sxm') {
  const asked = problem({
    ...{ model: 'qwen3-30b-a3b', chip, chips: 8, batchTokens: 8 * 4096, sequenceLength: 4096 },
    precision: { weights: 'bf16', compute, gradients: 'bf16', optimizer: 'fp32', kvCache: 'bf16' },
    assumptions: { basis: 'calibrated', policies: ['none'], ...said },
    memoryFraction: 100,
  })
  const sketch = { mesh: { ...unitMesh, expert: 8 }, zeroStage: 1 } as const
  return legal(evaluate(asked, sketch, javascriptLpSolver)).plan
}

/** Bytes of what goes to experts and what comes back, and of the gradients of both, by array. */
function exchanged(compute: ElementType, said: Partial<Assumptions>, chip?: string) {
  const lines = planOf(compute, said, chip).collectives.filter(({ op }) => op === 'AllToAll')
  expect(lines).toHaveLength(4)
  return Object.fromEntries(lines.map(({ array, bytes }) => [array, bytes]))
}

describe('tokens on their way to experts', () => {
  const wide = exchanged('bf16', {})

  it.each([
    'fp8',
    'nvfp4',
  ] as const)('are sent as activations are kept where software casts them there (%s)', (compute) => {
    expect(exchanged(compute, {})).toEqual(wide)
  })

  it.each([
    'fp8',
    'nvfp4',
  ] as const)('are sent in %s, and so is what experts get back, where they are cast before', (compute) => {
    const narrow = exchanged(compute, { narrowDispatch: true })
    const ratios = Object.keys(wide).map((array) => (narrow[array] ?? 0) / (wide[array] ?? 0))
    const less = elementBytes[compute] / elementBytes.bf16
    expect([...ratios].sort()).toEqual([less, less, 1, 1])
  })

  it('are sent in their own type where matmuls are no narrower', () => {
    expect(exchanged('bf16', { narrowDispatch: true })).toEqual(wide)
  })

  it('take longer to send in more bits, and no more memory', () => {
    const [cast, kept] = [true, false].map((narrowDispatch) => planOf('fp8', { narrowDispatch }))
    expect(kept?.stepTimeSeconds).toBeGreaterThan(cast?.stepTimeSeconds ?? Number.POSITIVE_INFINITY)
    expect(kept?.memoryBytes).toEqual(cast?.memoryBytes)
  })

  it('are cast before in the book, as DeepSeek trained', () => {
    expect(exchanged('fp8', { basis: 'book' })).not.toEqual(exchanged('bf16', { basis: 'book' }))
  })

  const ways = publishedStacks().flatMap((stack) =>
    (stack.expertRecipes ?? []).map(({ name }) => ({ stack, name, on: `${stack.name}, ${name}` })),
  )

  it.each(ways)('are sent in bf16 by Megatron Core in every way ($on)', ({ stack, name }) => {
    const bytes = (compute: ElementType) =>
      exchanged(compute, stackAssumptions(stack, compute, name), stack.chips[0])
    expect(bytes('fp8')).toEqual(bytes('bf16'))
  })
})
