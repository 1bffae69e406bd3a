/** On Hopper, numbers in fp8 are scaled by what Megatron-LM takes beside the modules that are recomputed. */
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { readMegatron } from '../../../src/launch/megatron/read/read.ts'
import { unitMesh } from '../../../src/sharding/axis.ts'
import { launchedPrecision } from '../../golden/launched-plan.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

interface Launched {
  readonly megatron: readonly string[] & { readonly unsupported?: readonly string[] }
  readonly commands?: Readonly<Record<string, { readonly command: string }>>
}

function launched(rematerialization: string, assumptions: Partial<Assumptions> = {}, chip = 'h100-sxm') {
  const asked = problem({
    model: 'qwen3-30b-a3b',
    chip,
    chips: 8,
    batchTokens: 64 * 4096,
    sequenceLength: 4096,
    memoryBudget: 1e12,
    precision: { ...launchedPrecision, compute: 'fp8', gradients: 'fp32', optimizer: 'fp32' },
    assumptions: { basis: 'calibrated', ...assumptions },
  })
  const plan = {
    mesh: { ...unitMesh, expert: 8 },
    zeroStage: 1,
    microbatchTokens: 4096,
    rematerialization,
  } as const
  return legal(evaluate(asked, plan, javascriptLpSolver)).plan.launch as unknown as Launched
}

describe('fp8 of Megatron-LM', () => {
  it.each([
    ['none', 'h100-sxm', 'delayed'],
    ['selective', 'h100-sxm', 'delayed'],
    ['moe_act', 'h100-sxm', 'tensorwise'],
    ['layernorm+moe_act', 'h100-sxm', 'tensorwise'],
    ['layernorm+moe_act', 'b200-sxm', 'mxfp8'],
  ])('where %s is recomputed on %s is scaled %3$s', (policy, chip, recipe) => {
    const { megatron, commands } = launched(policy, {}, chip)
    const format = recipe === 'mxfp8' ? 'e4m3' : 'hybrid'
    expect(megatron.join(' ')).toContain(`--fp8-format ${format} --fp8-recipe ${recipe}`)
    expect(megatron.includes('--fp8-amax-history-len')).toBe(recipe === 'delayed')
    expect(readMegatron(commands?.megatron?.command ?? '', null).faults).toEqual([])
    const bridge = { delayed: 'delayed', tensorwise: 'current', mxfp8: 'mxfp8' }[recipe]
    expect(commands?.['megatron-bridge']?.command ?? bridge).toContain(bridge)
  })

  it.each([
    { masterRemainders: true },
    { optimizerOnHost: true },
  ])('has %j only where it may be delayed', (assumed) => {
    expect(launched('none', assumed).megatron).toContain('delayed')
    expect(String(launched('moe_act', assumed).megatron.unsupported)).toMatch(/with delayed scaling alone/)
  })

  it('keeps casts beside weights where states are on the host and norms are recomputed', () => {
    const { megatron } = launched('moe_act', { optimizerOnHost: true, weightCopies: 'beside' })
    expect(megatron).toContain('tensorwise')
    expect(megatron).not.toContain('--fp8-param-gather')
  })
})
