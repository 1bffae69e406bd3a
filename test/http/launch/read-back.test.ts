/**
 * What launch writes, a check reads back to the plan itself: the same step and, where the framework keeps what the plan counts, the same
 * memory, to the last digits. Random questions of every mode, each with the commands of its plans.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../runs.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

interface Start {
  readonly command: string
  readonly files: readonly { readonly name: string; readonly text: string }[]
}

const keys: Readonly<Record<string, string>> = {
  ...{ megatron: 'megatron', 'megatron-bridge': 'megatronBridge', torchtitan: 'torchtitan' },
  ...{ maxtext: 'maxtext', vllm: 'vllm', sglang: 'sglang', 'tensorrt-llm': 'tensorrtLlm' },
}

const script = ({ command, files }: Start) =>
  [
    ...files.map(({ name, text }) => `cat > ${name} <<'END_OF_IT'\n${text.trimEnd()}\nEND_OF_IT`),
    command,
  ].join('\n')

const trainers = ['megatron', 'torchtitan', 'maxtext']

/** Without what a smaller budget leaves free. */
const net = ({ total, reserve }: { readonly total: number; readonly reserve: number }) => total - reserve

const close = (some: number, other: number) => Math.abs(some / other - 1) < 1e-9

const models = [
  'llama-3-8b',
  'llama-3-70b',
  'qwen3-8b',
  'qwen3-30b-a3b',
  'mixtral-8x7b',
  'nemotron-3-nano-30b-a3b',
  'nemotron-h-56b',
  'glm-4.5-air',
]
const machines = fc.constantFrom(
  { chip: 'h100-sxm', chips: 16 },
  { chip: 'h200-sxm', chips: 8 },
  { chip: 'b200-sxm', chips: 24 },
  { chip: 'gb200', chips: 24 },
  { chip: 'h100-pcie', chips: 64 },
  { chip: 'mi300x', chips: 16 },
  { chip: 'a100-80g-pcie', chips: 16 },
  { chip: 'tpu-v5p', topology: [2, 2, 4] },
  { chip: 'tpu-v6e', topology: [2, 4] },
)
const ofAny = {}
const alone = (...frameworks: string[]) =>
  fc.constantFrom(ofAny, ofAny, ...frameworks.map((one) => ({ frameworks: [one] })))
const ofServers = alone('vllm', 'sglang', 'tensorrt-llm')

/** What a mode asks for. */
const training = {
  workload: fc.record({
    mode: fc.constant('train'),
    batchSequences: fc.constantFrom(32, 48, 96),
    sequenceLength: fc.constantFrom(2048, 4096, 8192),
  }),
  precision: fc.constantFrom({}, { compute: 'fp8' }),
  assumptions: fc.oneof(
    alone('torchtitan', 'maxtext'),
    fc.constantFrom<object[]>(
      { policies: ['full'] },
      { policies: ['selective'] },
      { policies: ['mlp', 'moe_act', 'layernorm+moe_act'] },
      { policies: ['full'], frameworks: ['torchtitan'] },
      { policies: ['minimal', 'save_out_proj'], frameworks: ['maxtext'] },
      { optimizerOnHost: true },
      { optimizerOnHost: true, frameworks: ['maxtext'] },
      { zeroStages: [3] },
      { expertTensor: 'sliced', zeroStages: [1] },
    ),
  ),
}
const generation = {
  workload: fc.record({
    mode: fc.constant('generate'),
    batchSequences: fc.constantFrom(8, 33, 256, 'max'),
    contextLength: fc.constantFrom(1000, 5001),
  }),
  assumptions: ofServers,
}
/** Of as many prompts as few numbers of replicas divide. */
const prefill = {
  workload: fc.record({
    mode: fc.constant('prefill'),
    batchSequences: fc.constantFrom(1, 4, 9, 10),
    promptLength: fc.constantFrom(1000, 4096, 7777),
  }),
  assumptions: ofServers,
}
const deployment = {
  workload: fc.record({
    mode: fc.constant('serve'),
    promptLength: fc.constantFrom(1000, 3001),
    outputLength: fc.constantFrom(20, 333),
    disaggregated: fc.constant(false),
    contextLength: fc.constantFrom(4000, 6000),
  }),
  assumptions: ofServers,
}

/** With limits, a server sustains what it is told to, by however many prompts it reads together. */
const limited = {
  ...deployment,
  workload: fc.record({
    mode: fc.constant('serve'),
    promptLength: fc.constantFrom(1000, 2048),
    outputLength: fc.constantFrom(100, 512),
    disaggregated: fc.constant(false),
    requestsPerSecond: fc.constantFrom(1, 4, undefined),
    maxTimePerOutputTokenSeconds: fc.constantFrom(0.02, 0.03, 0.06),
    maxTimeToFirstTokenSeconds: fc.constantFrom(0.5, 2, 10),
  }),
}

async function readBack(request: Record<string, unknown>): Promise<readonly string[]> {
  const { body } = await agent.post('/optimize').send({ ...request, top: 3 })
  const found: string[] = []
  for (const plan of body.plans ?? []) {
    const chips = plan.chips as number
    const { stepTimeSeconds, requestsPerSecond } = plan.launch
    for (const [framework, start] of Object.entries((plan.launch.commands ?? {}) as Record<string, Start>)) {
      const key = keys[framework]
      // What a deployment sustains is said for the servers that are asked for.
      if (key === undefined || (requestsPerSecond && !(framework in requestsPerSecond))) continue
      const told = `${JSON.stringify(request)} ${framework} ${plan.summary}`
      const answer = await agent
        .post('/evaluate')
        .send({ ...request, constraints: { chips }, plan: { [key]: script(start) } })
      expect([answer.status, answer.body.errors], `${told}\n${script(start)}`).toEqual([200, undefined])
      const own = answer.body.plan
      found.push(framework)
      if (plan.requestsPerSecond !== undefined) {
        const rates = [
          own.requestsPerSecond,
          requestsPerSecond?.[framework] ?? plan.requestsPerSecond,
        ] as const
        expect(close(...rates), `${told}: ${rates.join(' for ')}`).toBe(true)
        continue
      }
      // The Bridge starts Megatron-LM.
      const runs = framework.replace('-bridge', '')
      const step = stepTimeSeconds?.[runs] ?? plan.stepTimeSeconds
      expect(close(own.stepTimeSeconds, step), `${told}: ${own.stepTimeSeconds} for ${step}`).toBe(true)
      // torchtitan keeps what matmuls in fp8 read in bf16, and of one microbatch writes ZeRO-1 and ZeRO-2 alike.
      // A plan's memory is that of the servers that are asked for, and of training that of the first framework which has a command for it.
      const { frameworks } = body.assumptions
      const trains = trainers.find((name) => frameworks.includes(name) && name in plan.launch)
      const isCounted = plan.zeroStage === undefined ? frameworks.includes(runs) : trains === runs
      if (framework !== 'torchtitan' && isCounted)
        expect(close(net(own.memoryBytes), net(plan.memoryBytes)), told).toBe(true)
    }
  }
  return found
}

it.each([
  ['training', training, ['megatron', 'megatron-bridge', 'torchtitan', 'maxtext']],
  ['generation', generation, ['vllm', 'sglang', 'tensorrt-llm']],
  ['prefill', prefill, ['vllm', 'sglang', 'tensorrt-llm']],
  ['deployments', deployment, ['vllm', 'sglang', 'tensorrt-llm']],
  ['deployments within limits', limited, ['vllm', 'sglang', 'tensorrt-llm']],
] as const)(
  'commands of %s are read as the plans that they are of',
  async (_, mode: Readonly<Record<string, fc.Arbitrary<unknown>>>, all) => {
    const asked = fc.record({ model: fc.constantFrom(...models), hardware: machines, ...mode })
    const read: string[] = []
    for (const request of fc.sample(asked, { seed: 5, numRuns: runs(12) }))
      read.push(...(await readBack(request)))
    for (const framework of all) expect(read, framework).toContain(framework)
  },
  300_000,
)
