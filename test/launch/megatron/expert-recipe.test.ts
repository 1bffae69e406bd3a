/** Megatron-LM is told to run experts as they are costed; otherwise a note says that it is not. */
import { describe, expect, it } from 'vitest'
import { javascriptLpSolver } from '../../../solvers/javascript-lp-solver.ts'
import type { Assumptions } from '../../../src/assumptions/assumptions.ts'
import { evaluate } from '../../../src/evaluate.ts'
import { readMegatron } from '../../../src/launch/megatron/read/read.ts'
import type { PlanSketch } from '../../../src/plan-sketch.ts'
import { type Mesh, unitMesh } from '../../../src/sharding/axis.ts'
import { legal } from '../../legal.ts'
import { problem } from '../../problem.ts'

interface Launched {
  readonly megatron: readonly string[]
  readonly commands?: { readonly megatron?: { readonly command: string } }
  readonly notes?: readonly string[]
}

function launched(
  assumptions: Partial<Assumptions>,
  mesh: Partial<Mesh>,
  sketch: Partial<PlanSketch> = {},
  model = 'qwen3-30b-a3b',
  [chip, chips] = ['gb200-nvl72', 16] as readonly [string, number],
) {
  const asked = problem({
    model,
    chip,
    chips,
    batchTokens: 64 * 4096,
    sequenceLength: 4096,
    memoryBudget: 1e12,
    assumptions: { basis: 'calibrated', ...assumptions },
  })
  const plan = {
    mesh: { ...unitMesh, ...mesh },
    zeroStage: 1,
    microbatchTokens: 4096,
    rematerialization: 'none',
    ...sketch,
  }
  const answer = legal(evaluate(asked, plan, javascriptLpSolver))
  const { megatron, commands, notes } = answer.plan.launch as unknown as Launched
  if (!Array.isArray(megatron)) throw new RangeError(JSON.stringify(megatron))
  return {
    flags: megatron.join(' '),
    command: commands?.megatron?.command ?? '',
    notes: (notes ?? []).join('\n'),
  }
}

const captured = { expertRecipe: 'captured', overlapDispatch: 0.7 } as const
const overlap = '--overlap-moe-expert-parallel-comm --delay-wgrad-compute'

describe('experts as they are costed', () => {
  it('are asked for in graphs of parts, of attention too where it is not recomputed', () => {
    const graphed = { expertRecipe: 'graphed' } as const
    const { flags } = launched(graphed, { expert: 16 })
    expect(flags).toContain(
      '--cuda-graph-impl transformer_engine --cuda-graph-modules attn moe_router moe_preprocess',
    )
    expect(flags).not.toContain('--overlap-moe')
    const selective = launched(graphed, { expert: 16 }, { rematerialization: 'selective' })
    expect(selective.flags).toContain('--cuda-graph-modules moe_router moe_preprocess')
    const whole = launched(graphed, { expert: 16 }, { rematerialization: 'full' })
    expect(whole.flags).not.toContain('--cuda-graph')
    expect(whole.notes).toMatch(/recomputed whole go without .*"graphed"/)
  })

  it('are asked for in one graph, with what the command wants for it', () => {
    const { flags, command, notes } = launched(captured, { expert: 16 })
    expect(flags).toContain('--cuda-graph-impl full_iteration --no-check-for-nan-in-loss-and-grad')
    expect(flags).toContain('--moe-paged-stash ')
    expect(flags).toContain(overlap)
    expect(command).toMatch(/^NVTE_CUTEDSL_FUSED_GROUPED_MLP=1 torchrun /)
    expect(notes).toMatch(/one CUDA graph/)
  })

  it.each([
    ['gb200-nvl72', 4],
    ['gb200-nvl72', 8],
    ['gb300-nvl72', 64],
    ['b200-sxm', 8],
  ] as const)('in one graph are sent by HybridEP, which alone pads them to a capacity, on %s times %i', (chip, chips) => {
    const { command } = launched(captured, { expert: chips }, {}, 'qwen3-30b-a3b', [chip, chips])
    expect(command).toContain('--moe-expert-rank-capacity-factor')
    expect(command).toContain('--moe-flex-dispatcher-backend hybridep')
    expect(readMegatron(command, null).faults).toEqual([])
  })

  it('are in no graph of the whole step where HybridEP sends nothing', () => {
    for (const [more, mesh] of [
      [{}, { data: 16 }],
      [{ hierarchicalDispatch: false }, { expert: 16 }],
    ] as const) {
      const { flags, command, notes } = launched({ ...captured, ...more }, mesh)
      expect(flags).not.toMatch(/cuda-graph|paged-stash|rank-capacity/)
      expect(command).not.toContain('NVTE_CUTEDSL')
      expect(notes).toMatch(/HybridEP does not send go without .*"captured"/)
    }
  })

  it('lie on two hosts of GB200 that HybridEP joins, and on nodes of eight with DeepEP', () => {
    const backend = (chip: string, chips: number) =>
      launched({ expertRecipe: 'flex' }, { expert: chips }, {}, 'qwen3-30b-a3b', [chip, chips]).flags
    expect(backend('gb200-nvl72', 8)).toContain('--moe-flex-dispatcher-backend hybridep')
    expect(backend('b200-sxm', 16)).toContain('--moe-flex-dispatcher-backend deepep')
  })

  it('overlap only where it is charged for: virtual stages, experts apart, layers that are not recomputed whole', () => {
    const pipelined = { expert: 8, pipeline: 2 }
    const interleaved = { pipelineSchedule: 'interleaved-1f1b', virtualStages: 2 } as const
    expect(launched(captured, pipelined, interleaved).flags).toContain(overlap)
    expect(launched(captured, pipelined, { pipelineSchedule: '1f1b' }).flags).not.toContain('--overlap-moe')
    expect(launched(captured, { data: 16 }).flags).not.toContain('--overlap-moe')
    expect(launched(captured, { expert: 16 }, { rematerialization: 'full' }).flags).not.toContain(
      '--overlap-moe',
    )
    expect(launched({ overlapDispatch: 0.7 }, { expert: 16 }).flags).toContain(overlap)
  })

  it('are nothing to a dense model, and to one whose ways are not told apart', () => {
    for (const { flags } of [
      launched({}, { expert: 16 }),
      launched(captured, { data: 16 }, {}, 'llama-3-8b'),
    ])
      expect(flags).not.toMatch(/cuda-graph|overlap-moe|paged/)
  })
})
