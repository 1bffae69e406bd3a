/** Weights that matmuls read in fp8 or fp4: what is held of them is read from Megatron-LM's options, written as them, and counted. */
import { expect, it } from 'vitest'
import { readMegatron } from '../../../src/launch/megatron/read/read.ts'
import { readBridge } from '../../../src/launch/megatron-bridge/read.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const read = (options: string) =>
  readMegatron(`torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 2 --bf16 ${options}`, 8)

it.each([
  ['', undefined],
  ['--fp8-format hybrid', 'beside'],
  ['--fp8-format hybrid --use-distributed-optimizer --fp8-param-gather', 'instead'],
  ['--fp8-format e4m3 --fp8-recipe mxfp8 --reuse-grad-buf-for-mxfp8-param-ag', 'beside'],
  ['--fp4-format e2m1 --fp4-recipe nvfp4 --use-distributed-optimizer --fp4-param-gather', 'instead'],
])('options %j hold %s', (options, held) => {
  const { assumptions, ignored, notUnderstood } = read(options)
  expect(assumptions.weightCopies).toBe(held)
  expect([...ignored, ...notUnderstood].join(' ')).not.toMatch(/param-gather|param-ag/)
})

it.each([
  ['bf16_mixed', undefined],
  ['bf16_with_fp8_current_scaling_mixed', 'instead'],
  ['bf16_with_fp8_subchannel_scaling_mixed', 'beside'],
  ['bf16_with_nvfp4_mixed', 'instead'],
])('precision config %s of Megatron Bridge holds %s', (name, held) => {
  const command = `python scripts/training/run_recipe.py --model llama3_8b -sl 4096 mixed_precision=${name}`
  expect(readBridge(command, { chips: 8, model: null }).assumptions.weightCopies).toBe(held)
})

const planOf = async (chip: string, compute: string, more: object = {}, plan: object = {}) => {
  const { body } = await agent.post('/evaluate').send({
    ...{ model: 'llama-3.1-8b', hardware: { chip, chips: 8 } },
    workload: { mode: 'train', batchSequences: 64, sequenceLength: 4096 },
    precision: { compute },
    plan: { mesh: { data: 8 }, zeroStage: 1, ...plan },
    ...more,
  })
  return body.plan
}

it.each([
  ['h100-sxm', 'fp8', ['--fp8-param-gather']],
  ['b200-sxm', 'fp8', ['--fp8-param-gather', '--reuse-grad-buf-for-mxfp8-param-ag']],
  ['b200-sxm', 'nvfp4', ['--fp4-param-gather']],
  ['b200-sxm', 'bf16', []],
])('a plan on %s in %s is launched with %j, and read back', async (chip, compute, flags) => {
  const { launch } = await planOf(chip, compute)
  expect(launch.megatron.filter((flag: string) => /param-gather$|param-ag$/.test(flag))).toEqual([
    '--overlap-param-gather',
    ...flags,
  ])
  const { assumptions, faults } = readMegatron(launch.commands.megatron.command, null)
  expect(faults).toEqual([])
  expect(assumptions.weightCopies).toBe(flags.length > 0 ? 'instead' : undefined)
})

it('without a sharded optimizer, or with casts beside the weights, nothing is written', async () => {
  const replicated = await planOf('h100-sxm', 'fp8', {}, { zeroStage: 0 })
  const beside = await planOf('h100-sxm', 'fp8', { assumptions: { weightCopies: 'beside' } })
  for (const { launch, memoryBytes } of [replicated, beside]) {
    expect(launch.megatron).not.toContain('--fp8-param-gather')
    expect(memoryBytes.parameters).toBe(replicated.memoryBytes.parameters)
  }
})

it('what keeps bf16 weights in Megatron-LM after all is counted so, and told where it is asked for otherwise', async () => {
  const away = { optimizerOnHost: true }
  const { launch, memoryBytes } = await planOf('b200-sxm', 'fp8', { assumptions: away })
  expect(launch.notes.join()).not.toContain('keeps casts of the weights beside them')
  expect(launch.megatron).not.toContain('--fp8-param-gather')
  const asked = await planOf('b200-sxm', 'fp8', { assumptions: { ...away, weightCopies: 'instead' } })
  expect(asked.launch.notes.join()).toContain('keeps casts of the weights beside them')
  expect(asked.launch.megatron).toEqual(launch.megatron)
  // Weights of matmuls, all but the embeddings of 8.03 billion parameters, in bf16 beside two casts of MXFP8.
  const casts = 2 * (8.03e9 - 2 * 128_256 * 4096)
  expect((memoryBytes.parameters - asked.memoryBytes.parameters) / casts).toBeCloseTo(1, 2)
  // Scaled by recent maxima it has no others, as on Hopper.
  const hopper = await planOf('h100-sxm', 'fp8', { assumptions: away })
  expect(hopper.launch.megatron).toContain('--fp8-param-gather')
})

it.each([
  ['qwen3-30b-a3b', 2, 1, false],
  ['qwen3-30b-a3b', 4, 1, false],
  ['qwen3-14b', 1, 0.6, true],
  ['qwen3-14b', 1, 0.5, false],
])('%s over %i chips with %d of their memory is told of states on the host where they fit as they are answered: %s', async (model, fsdp, fraction, fits) => {
  const asked = {
    ...{ model, hardware: { chip: 'b200-sxm', chips: fsdp }, precision: { compute: 'nvfp4' } },
    ...{ memoryBudget: { fraction }, plan: { mesh: { fsdp }, zeroStage: 1 } },
    workload: { mode: 'train', batchSequences: 4 * fsdp, sequenceLength: 4096 },
  }
  const { body } = await agent.post('/evaluate').send(asked)
  expect(body.plan.feasible).toBe(false)
  const suggested = body.suggestions.map(({ pointer }: { readonly pointer: string }) => pointer)
  expect(suggested.includes('/assumptions/optimizerOnHost')).toBe(fits)
  const away = await agent.post('/evaluate').send({ ...asked, assumptions: { optimizerOnHost: true } })
  expect(away.body.plan.feasible).toBe(fits)
})
