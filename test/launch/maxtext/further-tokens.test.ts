/** Layers that predict further tokens shift sequences by a position, which goes with natural orders of positions alone. */
import { describe, expect, it } from 'vitest'
import { costModel } from '../../../src/cost/compiled-model.ts'
import { readMaxtext } from '../../../src/launch/maxtext/read/read.ts'
import { policyNames } from '../../../src/recipe/policy.ts'
import type { ContextLayout } from '../../../src/sharding/tables/context-layouts.ts'
import { launchedPlan } from '../../golden/launched-plan.ts'
import { problem } from '../../problem.ts'

function told(multiTokenLayers: number, context: number, contextLayout: ContextLayout) {
  const asked = problem({
    ...{
      model: 'llama-3-8b',
      chip: 'tpu-v5p',
      topology: [2, 2, 4],
      rematerialization: policyNames('counted'),
    },
    ...{ batchTokens: 16 * 8192, sequenceLength: 8192 },
  })
  const model = costModel({ ...asked, model: { ...asked.model, multiTokenLayers } })
  const mesh = { fsdp: 16 / context, context }
  return launchedPlan(model, { mesh, contextLayout, zeroStage: 3 }).maxtext
}

describe('layers that predict further tokens', () => {
  it.each(['gather', 'ring'] as const)('have no flags where a %s deals positions out', (layout) => {
    const reasons = [expect.stringContaining(`not where ${layout} gives all chips equally much to do`)]
    expect(told(1, 2, layout)).toEqual({ unsupported: reasons, unwritten: reasons })
  })

  it('are written where a chip has all positions, or heads of them', () => {
    expect(told(1, 1, 'gather')).toMatchObject({ mtp_num_layers: 1 })
    expect(told(1, 2, 'ulysses')).toMatchObject({ mtp_num_layers: 1, context_parallel_load_balance: false })
    expect(told(0, 2, 'gather')).not.toHaveProperty('unsupported')
  })

  it('stop a file with a ring of TPUs, but not one whose positions stay in order', () => {
    const ring = { ...told(0, 2, 'ring'), mtp_num_layers: 1 }
    const refusals = (more: object) =>
      readMaxtext({ ...ring, ...more }, { chips: 16, slices: 1, mode: null, model: null }).refusals
    expect(refusals({})).toEqual([expect.stringContaining('context_parallel_load_balance=false')])
    expect(refusals({ context_parallel_load_balance: false })).toEqual([])
    expect(refusals({ mtp_num_layers: 0 })).toEqual([])
  })
})
