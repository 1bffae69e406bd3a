/** Moments of Adam below 32 bits, and Muon: what Megatron-LM is told of them is read, written and held to what it can do. */
import { expect, it } from 'vitest'
import { readMegatron } from '../../../src/launch/megatron/read/read.ts'
import { readBridge } from '../../../src/launch/megatron-bridge/read.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const aware = '--use-precision-aware-optimizer'
const both = '--exp-avg-dtype bf16 --exp-avg-sq-dtype bf16'
const read = (options: string) =>
  readMegatron(
    `torchrun --nnodes 1 --nproc-per-node 8 pretrain_gpt.py --bf16 --use-distributed-optimizer ${options}`,
    null,
  )

it.each([
  ['', 'fp32'],
  [`${aware} ${both}`, 'bf16'],
  [`${aware} --main-grads-dtype fp32 --main-params-dtype fp32 ${both}`, 'bf16'],
  [`${aware} --exp-avg-dtype fp8 --exp-avg-sq-dtype fp16`, 'bf16'],
  [`${aware} --exp-avg-dtype fp8 --exp-avg-sq-dtype fp8`, 'fp8'],
])('options %j keep moments in %s', (options, type) => {
  const { precision, faults, notUnderstood, notes } = read(options)
  expect({ type: precision.optimizer, faults, notUnderstood }).toEqual({
    type,
    faults: [],
    notUnderstood: [],
  })
  expect(notes.join().includes('differ')).toBe(options.includes('fp16'))
})

it('narrow moments without the optimizer that has them are a fault, as Megatron-LM refuses them', () => {
  expect(read(both).faults).toEqual([`--exp-avg-dtype and --exp-avg-sq-dtype: only with ${aware}`])
})

it('gradients of its main buffer are read in their type', () => {
  expect(read(`${aware} --main-grads-dtype bf16`).precision.gradients).toBe('bf16')
})

it('overrides of Megatron Bridge say the same by the names of torch', () => {
  const command = (type: string) =>
    readBridge(
      `python scripts/training/run_recipe.py --model llama3_8b -sl 4096 optimizer.use_precision_aware_optimizer=true optimizer.exp_avg_dtype=${type} optimizer.exp_avg_sq_dtype=${type}`,
      { chips: 8, model: null },
    )
  for (const type of ['bf16', 'torch.bfloat16']) {
    expect(command(type)).toMatchObject({ precision: { optimizer: 'bf16' }, faults: [], notUnderstood: [] })
  }
})

it('Megatron Bridge says whether master weights are kept as remainders, and in what otherwise', () => {
  const kept = (more: string) =>
    readBridge(
      `python scripts/training/run_recipe.py --model llama3_8b -sl 4096 optimizer.use_precision_aware_optimizer=true ${more}`,
      { chips: 8, model: null },
    )
  for (const [more, remainders] of [
    ['', true],
    ['optimizer.store_param_remainders=true optimizer.main_params_dtype=torch.float32', true],
    ['optimizer.store_param_remainders=false', undefined],
    ['optimizer.main_params_dtype=torch.float16', undefined],
  ] as const) {
    const { assumptions = {}, notUnderstood } = kept(more)
    const { masterRemainders } = assumptions
    expect([masterRemainders, notUnderstood], more).toEqual([remainders, []])
  }
})

const asked = {
  model: 'llama-3.1-8b',
  hardware: { chip: 'h100-sxm', chips: 8 },
  workload: { mode: 'train', batchSequences: 64, sequenceLength: 4096 },
}

it('a plan with narrow moments is launched with them, is read back, and takes less memory', async () => {
  const optimizerOf = async (type: string) => {
    const precision = { optimizer: type }
    const { body } = await agent
      .post('/evaluate')
      .send({ ...asked, precision, plan: { mesh: { data: 8 }, zeroStage: 1 } })
    return body.plan
  }
  const [whole, narrow] = [await optimizerOf('fp32'), await optimizerOf('bf16')]
  // The master copy and two moments: 4 + 2 x 2 bytes of 4 + 2 x 4.
  expect(narrow.memoryBytes.optimizer / whole.memoryBytes.optimizer).toBeCloseTo(8 / 12, 6)
  expect(whole.launch.megatron).not.toContain(aware)
  expect(narrow.launch.megatron.join(' ')).toContain(`${aware} ${both}`)
  const { command } = narrow.launch.commands.megatron
  expect(readMegatron(command, null)).toMatchObject({ precision: { optimizer: 'bf16' }, notUnderstood: [] })
  expect(narrow.launch.commands['megatron-bridge'].command).toContain('optimizer.exp_avg_dtype=bf16')
})

it.each([
  ['', {}],
  ['--fp8-format hybrid', {}],
  ['--fp8-format hybrid --fp8-recipe delayed', {}],
  ['--fp8-format hybrid --fp8-recipe mxfp8', null],
  ['--main-params-dtype fp16', null],
  ['--use-megatron-fsdp', null],
  ['--optimizer-cpu-offload', null],
])('master weights beside %j are remainders only where its kernel has the bf16 weights', (options, kept) => {
  const { assumptions } = read(`${aware} ${options}`)
  expect(assumptions.masterRemainders).toBe(kept === null ? undefined : true)
  expect(read(options).assumptions.masterRemainders).toBeUndefined()
})

it('remainders of master weights take two bytes of four, are launched and read back, and no other trainer has them', async () => {
  const evaluated = async (masterRemainders: boolean, more: object = {}) => {
    const assumptions = { basis: 'calibrated', masterRemainders }
    const plan = { mesh: { data: 8 }, zeroStage: 1 }
    const { body } = await agent.post('/evaluate').send({ ...asked, plan, ...more, assumptions })
    return body.plan
  }
  const [whole, halved] = [await evaluated(false), await evaluated(true)]
  // The copy and two moments: 2 + 2 x 4 bytes of 4 + 2 x 4.
  expect(halved.memoryBytes.optimizer / whole.memoryBytes.optimizer).toBeCloseTo(10 / 12, 6)
  expect(whole.launch.megatron).not.toContain(aware)
  const { command } = halved.launch.commands.megatron
  expect(readMegatron(command, null)).toMatchObject({
    ...{ assumptions: { masterRemainders: true }, precision: { optimizer: 'fp32' } },
    ...{ faults: [], notUnderstood: [] },
  })
  expect(JSON.stringify(halved.launch.torchtitan)).toContain('keeps master weights whole')
  const precision = { optimizer: 'bf16' }
  const notes = async (kept: boolean) => JSON.stringify((await evaluated(kept, { precision })).launch)
  expect(await notes(false)).toContain('keeps 2 bytes of a master weight instead of the 4')
  expect(await notes(true)).not.toContain('keeps 2 bytes of a master weight')
  const sharded = await evaluated(true, { plan: { mesh: { fsdp: 8 }, zeroStage: 3 } })
  expect(JSON.stringify(sharded.launch.megatron)).toContain('only in its distributed optimizer (ZeRO-1)')
})

it.each([
  ['ZeRO-1 and up', { plan: { mesh: { data: 8 }, zeroStage: 0 } }],
  [
    'these on the chips',
    {
      plan: { mesh: { data: 8 }, zeroStage: 1 },
      assumptions: { basis: 'calibrated', optimizerOnHost: true },
    },
  ],
])('Megatron-LM has no narrow moments but %s', async (why, more) => {
  const { body } = await agent.post('/evaluate').send({ ...asked, precision: { optimizer: 'bf16' }, ...more })
  expect(JSON.stringify(body.plan.launch.megatron)).toContain(why)
})

it('Muon is launched with its matrices dealt out, read back, and refused where Megatron-FSDP would shard it', async () => {
  const workload = { ...asked.workload, optimizer: 'muon' }
  const { body } = await agent.post('/optimize').send({ ...asked, workload, top: 1 })
  const [{ launch, zeroStage }] = body.plans
  expect(zeroStage).toBe(1)
  expect(launch.megatron.join(' ')).toContain('--optimizer muon --use-distributed-optimizer')
  const { command } = launch.commands.megatron
  expect(readMegatron(command, null)).toMatchObject({
    ...{ faults: [], notUnderstood: [], plan: { zeroStage: 1 } },
    workload: { optimizer: 'muon' },
  })
  expect(launch.commands['megatron-bridge']).toBeUndefined()
  const older = command.replace('muon --use-distributed-optimizer', 'dist_muon')
  expect(readMegatron(older, null)).toMatchObject({ plan: { zeroStage: 1 }, workload: { optimizer: 'muon' } })
  const sharded = { mesh: { fsdp: 8 }, zeroStage: 3 }
  const { body: other } = await agent.post('/evaluate').send({ ...asked, workload, plan: sharded })
  expect(JSON.stringify(other.plan.launch.megatron)).toContain('does not shard the states of muon in ZeRO-3')
})
