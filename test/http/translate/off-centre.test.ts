import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const model = 'llama-3-70b'
const hardware = { chip: 'h100-sxm', chips: 8 }
const asked = [
  { mode: 'prefill', promptLength: 2048, batchSequences: 4 },
  { mode: 'generate', batchSequences: 32, contextLength: 4096 },
  { mode: 'train', batchSequences: 64, sequenceLength: 2048 },
]

it.each(asked)('a warning says where published runs of $mode lay to one side', async (workload) => {
  const plan = workload.mode === 'train' ? { mesh: { fsdp: 8 } } : { mesh: { tensor: 8 } }
  const { body } = await service({ search: planning })
    .post('/evaluate')
    .send({ model, hardware, workload, plan })
  const { median } = body.plan.uncertainty.basis
  const said = body.warnings.filter((text: string) => /published runs of this kind took/.test(text))
  expect(said).toHaveLength(Math.max(median, 1 / median) >= 1.15 ? 1 : 0)
})

it('who waits for chunks of a server keeps others waiting', async () => {
  const workload = { mode: 'serve', promptLength: 2000, outputLength: 500, requestsPerSecond: 3 }
  const atOnce = async (tokens: number) => {
    const vllm = `vllm serve meta-llama/Llama-3.1-70B-Instruct -tp 4 --max-num-batched-tokens ${tokens} --max-num-seqs 64`
    const { body } = await service({ search: planning })
      .post('/evaluate')
      .send({ hardware, workload, plan: { vllm } })
    return body.plan
  }
  const [few, many] = [await atOnce(64), await atOnce(2048)]
  expect(few.feasible).toBe(false)
  expect(few.requestsPerSecond).toBeLessThan(many.requestsPerSecond)
  for (const plan of [few, many]) expect(plan.prefill.utilization).toBeLessThanOrEqual(0.8 * (1 + 1e-6))
})
