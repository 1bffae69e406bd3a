/** Every value of `--quantization` is read as types of weights, or a note says that it is not: none is silently costed as bf16. */
import { describe, expect, it } from 'vitest'
import type { LaunchReading } from '../../../src/launch/read/reading.ts'
import { sglangQuantizations, vllmQuantizations } from '../../../src/launch/server/quantization.ts'
import { readSglang } from '../../../src/launch/sglang/read.ts'
import { readVllm } from '../../../src/launch/vllm/read.ts'
import { planning } from '../../http/planning.ts'
import { service } from '../../http/service.ts'

const context = { chips: 8, slices: 1, mode: 'generate', model: null }

const servers = [
  [
    'vllm',
    (model: string, more: string) => readVllm(`vllm serve ${model} ${more}`, context),
    vllmQuantizations,
  ],
  [
    'sglang',
    (model: string, more: string) =>
      readSglang(`python -m sglang.launch_server --model-path ${model} ${more}`, context),
    sglangQuantizations,
  ],
] as const

function told({ precision, notes, misnamed = [] }: LaunchReading): boolean {
  return (
    precision.weights !== undefined ||
    notes.some((note) => /--quantization/.test(note)) ||
    misnamed.length > 0
  )
}

describe.each(servers)('%s', (_, read, known) => {
  it('reads every way that it has, or says that it is not counted', () => {
    for (const name of known.keys()) {
      const reading = read('org/llama-3-70b', `--quantization ${name}`)
      expect(told(reading), name).toBe(true)
      expect(reading.misnamed, name).toEqual([])
    }
    expect(read('org/llama-3-70b', '--quantization foo').misnamed).toEqual([
      { option: '--quantization', value: 'foo', among: [...known.keys()] },
    ])
  })

  it('reads it as the checkpoint of that name, whose own name says more', () => {
    const precision = (model: string, more = '') => read(model, more).precision
    expect(precision('org/m', '--quantization awq')).toEqual(precision('org/m-awq'))
    expect(precision('org/m', '--quantization fp8')).toEqual(precision('org/m-fp8'))
    expect(precision('org/m-GPTQ-Int8', '--quantization gptq_marlin')).toEqual(precision('org/m-int8'))
    expect(precision('org/m')).not.toHaveProperty('weights')
    expect(read('org/m-awq', '--quantization compressed-tensors').notes.join()).not.toMatch(/not counted/)
  })
})

it('is unpacked on chips that do not multiply in its type', async () => {
  const agent = service({ search: planning })
  const cases = [
    ['a100-80g-sxm', 'RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic', 'fp8'],
    ['a100-80g-sxm', 'meta-llama/Llama-3.3-70B-Instruct --quantization fp8', 'fp8'],
    ['h100-sxm', 'nvidia/Llama-3.3-70B-Instruct-FP4', 'nvfp4'],
  ]
  for (const [chip, loaded, weights] of cases) {
    const { status, body } = await agent.post('/evaluate').send({
      hardware: { chip, chips: 8 },
      workload: { mode: 'generate', contextLength: 4096, batchSequences: 8 },
      plan: { vllm: `vllm serve ${loaded} -tp 8` },
    })
    expect([status, body.precision], loaded).toMatchObject([200, { weights, compute: 'bf16' }])
  }
})

it('over HTTP an unknown way is a fault with the nearest, and a known one makes weights smaller', async () => {
  const agent = service({ search: planning })
  const asked = (more: string) => ({
    hardware: { chip: 'h100-sxm', chips: 8 },
    workload: { mode: 'generate', contextLength: 4096, batchSequences: 8 },
    plan: { vllm: `vllm serve /models/Llama-3-70B -tp 8 ${more}` },
  })
  const refused = await agent.post('/evaluate').send(asked('--quantization awq_marlim'))
  expect(refused.status).toBe(422)
  expect(refused.body.errors[0].detail).toMatch(/awq_marlim.*the nearest are awq_marlin/)
  const [wide, narrow] = await Promise.all(
    ['', '-q awq'].map((more) => agent.post('/evaluate').send(asked(more))),
  )
  // The norms of 80 layers and of the head stay in 16 bits, whole on each chip.
  const norms = (2 * 80 + 1) * 8192 * 2
  const bytes = (answer: typeof wide) => answer?.body.plan.memoryBytes.parameters - norms
  expect(bytes(wide) / bytes(narrow)).toBeCloseTo(4, 6)
})
