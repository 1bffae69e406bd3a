import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const hardware = { chip: 'h200-sxm', chips: 4 }
const lengths = { mode: 'generate', meanContextLength: 2048 }
const capped = (most: number) =>
  `vllm serve meta-llama/Llama-3.3-70B-Instruct -tp 4 --max-model-len 32768 --max-num-seqs ${most}`
const evaluated = async (workload: object, vllm: string) => {
  const { body } = await service({ search: planning })
    .post('/evaluate')
    .send({ hardware, workload, plan: { vllm } })
  return body
}

it('a server runs as many sequences as its caches hold, up to its cap', async () => {
  const [far, fewer] = [await evaluated(lengths, capped(1024)), await evaluated(lengths, capped(64))]
  expect(far.plan.feasible).toBe(true)
  expect(far.plan.batchSequences).toBeGreaterThan(64)
  expect(far.plan.batchSequences).toBeLessThan(1024)
  expect(far.warnings).toContainEqual(expect.stringContaining('at most 1024 sequences run at once'))
  expect(fewer.plan.batchSequences).toBe(64)
})

it('a number that is asked for is held, cap or not, and one beyond the cap contradicts it', async () => {
  const { plan } = await evaluated({ ...lengths, batchSequences: 32 }, capped(64))
  expect(plan.batchSequences).toBe(32)
  const refused = await evaluated({ ...lengths, batchSequences: 128 }, capped(64))
  expect(refused).toMatchObject({ status: 422, errors: [{ pointer: '/workload/batchSequences' }] })
})

it('a cap beside a number of sequences is refused', async () => {
  const workload = { mode: 'generate', contextLength: 4096, batchSequences: 32, maxSequences: 64 }
  const { body } = await service({ search: planning })
    .post('/optimize')
    .send({ model: 'llama-3-8b', hardware, workload })
  expect(body).toMatchObject({ status: 400, errors: [{ pointer: '/workload/maxSequences' }] })
})

it('a length below the longest that the file has is what sequences hold on average', async () => {
  const shorter = await evaluated({ mode: 'generate', contextLength: 2048 }, capped(64))
  const said = await evaluated(lengths, capped(64))
  expect(shorter.plan.stepTimeSeconds).toBe(said.plan.stepTimeSeconds)
  expect(shorter.read.request.workload).toMatchObject({ contextLength: 32_768, meanContextLength: 2048 })
  expect(shorter.read.notes.join()).toContain('the 2048 of the request')
  const longer = await evaluated({ mode: 'generate', contextLength: 65_536 }, capped(64))
  expect(longer).toMatchObject({ status: 422, errors: [{ pointer: '/workload/contextLength' }] })
  const both = await evaluated({ ...lengths, contextLength: 4096 }, capped(64))
  expect(both).toMatchObject({ status: 422, errors: [{ pointer: '/workload/contextLength' }] })
})

it('servers capture graphs of as many sequences as gain by it, and keep memory for no more', async () => {
  const question = { model: 'llama-3-8b', hardware: { chip: 'h100-sxm', chips: 2 } }
  const workload = { mode: 'serve', promptLength: 1, outputLength: 1 }
  const { body } = await service({ search: planning })
    .post('/optimize')
    .send({ ...question, workload, top: 1 })
  const [{ maxSequences, launch }] = body.plans
  expect(maxSequences).toBeGreaterThan(2048)
  const { vllm, sglang, 'tensorrt-llm': tensorrt, notes } = launch
  const numberOf = (flags: readonly string[], name: string) => Number(flags[flags.indexOf(name) + 1])
  expect(numberOf(sglang, '--cuda-graph-max-bs')).toBe(2048)
  expect(numberOf(vllm, '--max-cudagraph-capture-size')).toBe(2048)
  expect(tensorrt.cuda_graph_config.max_batch_size).toBe(2048)
  expect(numberOf(sglang, '--mem-fraction-static')).toBeGreaterThan(0.3)
  expect(notes.join()).toContain('SGLang is told to capture graphs of up to 2048 sequences')
})
