/** The launches in answers are read back, for every framework, as the same plan: equal mesh, costs and text. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

interface Start {
  readonly command: string
  readonly files: readonly { readonly text: string }[]
}

interface Found {
  readonly summary: string
  readonly mesh: unknown
  readonly stepTimeSeconds: number
  readonly launch: Readonly<Record<string, unknown>> & { readonly commands?: Readonly<Record<string, Start>> }
}

async function asked(path: string, body: object, status = 200) {
  const response = await agent.post(path).send(body)
  expect(response.status, response.text.slice(0, 500)).toBe(status)
  return response.body
}

// No ranks divide it.
const generate = { mode: 'generate', batchSequences: 61, contextLength: 4096 }
const prefill = { mode: 'prefill', batchSequences: 1, promptLength: 8192 }
const train = { mode: 'train', batchTokens: 524_288, sequenceLength: 4096 }
const h100 = { chip: 'h100-sxm', chips: 8 }
const v5e = { chip: 'tpu-v5e', topology: [4, 4] }
const v7x = { chip: 'tpu-7x', topology: [2, 2, 1] }
const moe = 'deepseek-v2-lite'
const fixed = { constraints: { data: 1, pipeline: 1 } }

const cases: readonly (readonly [framework: string, key: string, question: object])[] = [
  ['vllm', 'vllm', { model: 'llama-3-8b', hardware: h100, workload: generate, constraints: { tensor2: 1 } }],
  ['vllm', 'vllm', { model: moe, hardware: h100, workload: generate, ...fixed }],
  ['sglang', 'sglang', { model: moe, hardware: h100, workload: generate, ...fixed }],
  [
    'sglang',
    'sglang',
    { model: 'llama-3-8b', hardware: h100, workload: generate, constraints: { pipeline: 2 } },
  ],
  [
    'tensorrt-llm',
    'tensorrtLlm',
    { model: 'llama-3-8b', hardware: h100, workload: generate, constraints: { pipeline: 2 } },
  ],
  ['sglang', 'sglang', { model: 'llama-3-8b', hardware: h100, workload: prefill, ...fixed }],
  ['tensorrt-llm', 'tensorrtLlm', { model: moe, hardware: h100, workload: generate, ...fixed }],
  ['maxtext', 'maxtext', { model: 'llama-3-8b', hardware: v5e, workload: generate }],
  [
    'maxtext',
    'maxtext',
    { model: 'llama-3-8b', hardware: v5e, workload: train, precision: { compute: 'int8' }, ...fixed },
  ],
  [
    'maxtext',
    'maxtext',
    { model: 'llama-3-8b', hardware: h100, workload: train, precision: { compute: 'fp8' }, ...fixed },
  ],
  ['maxtext', 'maxtext', { model: 'llama-3-8b', hardware: v5e, workload: prefill }],
  // Two devices on each chip: of a server in tensor, of training in fsdp, or in tensor where a chip has one sequence.
  ['vllm', 'vllm', { model: 'llama-3-8b', hardware: v7x, workload: generate }],
  ['maxtext', 'maxtext', { model: 'llama-3-8b', hardware: v7x, workload: generate }],
  ...[32, 4].map(
    (sequences) =>
      [
        ...['maxtext', 'maxtext'],
        {
          model: 'llama-3-8b',
          hardware: v7x,
          workload: { ...train, batchTokens: sequences * train.sequenceLength },
          constraints: { pipeline: 1, context: 1, tensor: 1 },
        },
      ] as [string, string, object],
  ),
  [
    'maxtext',
    'maxtext',
    { model: 'llama-3-8b', hardware: v5e, workload: train, constraints: { pipeline: 1, context: [1, 2] } },
  ],
  [
    'maxtext',
    'maxtext',
    { model: 'gemma-2-9b', hardware: { chip: 'h100-sxm', chips: 16 }, workload: train, ...fixed },
  ],
  // Of one microbatch ZeRO-2, which torchtitan writes as it does ZeRO-1: gradients of that would not fit.
  [
    'torchtitan',
    'torchtitan',
    {
      model: 'llama-3-8b',
      hardware: h100,
      workload: { mode: 'train', batchTokens: 65_536, sequenceLength: 8192 },
      constraints: { data: 8 },
    },
  ],
  // Chips that stay idle.
  ...(
    [
      ['megatron', { chip: 'h100-sxm', chips: 24 }],
      ['maxtext', { chip: 'h100-sxm', chips: 24 }],
      ['maxtext', { chip: 'tpu-v5e', topology: [4, 4], slices: 2 }],
    ] as const
  ).map(
    ([framework, hardware]) =>
      [
        ...[framework, framework],
        {
          model: 'llama-3-8b',
          hardware,
          workload: train,
          constraints: { chips: 16, pipeline: 1, context: 1 },
        },
      ] as const,
  ),
  // Two NVLink domains of 72, not 18 hosts of 8.
  [
    'maxtext',
    'maxtext',
    {
      model: 'llama-3-8b',
      hardware: { chip: 'gb200-nvl72', chips: 144 },
      workload: { ...train, batchTokens: 1_179_648 },
      constraints: { chips: 144, pipeline: 1, context: 1 },
    },
  ],
]

const ambiguous = ['tensorrt-llm', 'maxtext']

describe('what launches a plan', () => {
  it.each(cases)('by %s is read as it: %j', async (framework, key, question) => {
    const whole = { ...question, assumptions: { basis: 'calibrated', frameworks: [framework] } }
    const { plans } = (await asked('/optimize', { ...whole, top: 2 })) as { readonly plans: readonly Found[] }
    expect(plans.length).toBeGreaterThan(0)
    let same = 0
    for (const plan of plans) {
      const start = plan.launch.commands?.[framework]
      const file = start?.files[0]?.text
      const command = file === undefined ? start?.command : { command: start?.command, config: file }
      for (const launched of [plan.launch[framework], command]) {
        const { plan: again, read } = await asked('/evaluate', { ...whole, plan: { [key]: launched } })
        expect(read.notUnderstood).toEqual([])
        // Two plans may be told alike: of experts to TensorRT-LLM, of two policies to MaxText.
        if (again.summary !== plan.summary) {
          expect(ambiguous).toContain(framework)
          continue
        }
        same++
        expect(again.launch[framework]).toEqual(plan.launch[framework])
        expect(again.mesh).toEqual(plan.mesh)
        expect(again.stepTimeSeconds / plan.stepTimeSeconds).toBeCloseTo(1, 6)
      }
    }
    expect(same).toBeGreaterThan(0)
  })
})

it('a plan of a framework that is only read is not told that others cannot launch it', async () => {
  const hardware = { chip: 'h100-sxm', chips: 8 }
  const warnings = async (plan: object, path: string) => {
    const { body } = await agent.post(path).send({ model: 'llama-3-8b', hardware, workload: train, plan })
    return (body.warnings as readonly string[]).filter((text) => /can launch/.test(text))
  }
  const zero = {
    zero_optimization: { stage: 2, offload_optimizer: { device: 'cpu' } },
    bf16: { enabled: true },
    train_batch_size: 128,
  }
  for (const path of ['/evaluate', '/validate']) {
    expect(await warnings({ deepspeed: zero }, path)).toEqual([])
  }
  expect(await warnings({ mesh: { data: 4, tensor2: 2 }, zeroStage: 0 }, '/evaluate')).toHaveLength(1)
})
