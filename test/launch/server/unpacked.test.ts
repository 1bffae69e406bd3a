/** Weights in four bits on chips without such arithmetic: commands ask for the kernels that unpack them, or there are none. */
import { describe, expect, it } from 'vitest'
import { planning } from '../../http/planning.ts'
import { service } from '../../http/service.ts'

const agent = service({ search: planning })

const launchOf = async (model: string, chip: string, tensor: number, mode: object = {}) => {
  const workload = { mode: 'generate', contextLength: 2048, batchSequences: 8, ...mode }
  const asked = { model, hardware: { chip, chips: 8 }, workload, plan: { mesh: { tensor } } }
  const { status, body } = await agent.post('/evaluate').send(asked)
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200)
  return body.plan.launch
}

describe('NVFP4', () => {
  it('is unpacked on Hopper by kernels that SGLang is told of', async () => {
    const { sglang, notes, ...launch } = await launchOf('nvidia/DeepSeek-R1-FP4', 'h100-sxm', 8)
    expect(sglang.join(' ')).toContain('--moe-runner-backend marlin --disable-shared-experts-fusion')
    expect(notes).toContain('SGLang unpacks weights in nvfp4 to bf16 as it multiplies.')
    expect(notes.join()).not.toMatch(/on Blackwell/)
    expect(launch['tensorrt-llm'].unwritten.join()).toMatch(/multiplies weights in nvfp4 in fp4/)
  })

  it('is multiplied on Blackwell, by kernels of its own choice', async () => {
    const { sglang, notes, ...launch } = await launchOf('nvidia/DeepSeek-R1-FP4', 'b200-sxm', 8)
    expect(sglang.join(' ')).not.toMatch(/marlin|fusion/)
    expect(notes.join()).not.toMatch(/unpacks/)
    expect(launch['tensorrt-llm']).not.toHaveProperty('unsupported')
  })

  it('is refused on GPUs of AMD, which Marlin is not for', async () => {
    const { sglang } = await launchOf('nvidia/DeepSeek-R1-FP4', 'mi300x', 8)
    expect(sglang.unsupported.join()).toMatch(/by Marlin's kernels/)
  })

  it('of a dense model is unpacked without more words', async () => {
    const { sglang } = await launchOf('nvidia/Llama-3.3-70B-Instruct-FP4', 'h100-sxm', 4)
    expect(sglang).not.toContain('--moe-runner-backend')
    expect(sglang).not.toHaveProperty('unsupported')
  })
})

it('MXFP4 of gpt-oss is unpacked without a word of NVFP4', async () => {
  const { sglang, notes } = await launchOf('gpt-oss-120b', 'h100-sxm', 8)
  expect(sglang.join(' ')).not.toMatch(/marlin/)
  expect(notes).toContain('SGLang unpacks weights in mxfp4 to bf16 as it multiplies.')
  expect(notes.join()).not.toMatch(/NVFP4|nvfp4/)
})
