/** What would make an illegal layout of a launch file legal is told where it then fits, and not where it is too large. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

async function legal(model: string, require: object = {}) {
  const { body } = await agent.post('/validate').send({
    hardware: { chip: 'h100-sxm' },
    workload: { mode: 'serve', promptLength: 2048, outputLength: 256 },
    plan: { vllm: `vllm serve ${model} --tensor-parallel-size 3 --max-model-len 8192` },
    require,
  })
  return body.checks.find(({ name }: { name: string }) => name === 'legal')
}

it('three replicas of a model that one chip holds would do, and none of one that it does not hold', async () => {
  const small = await legal('meta-llama/Llama-3.1-8B-Instruct')
  expect(small.nearest).toMatchObject([{ detail: 'tensor 1, data 3' }])
  const large = await legal('meta-llama/Llama-3.3-70B-Instruct')
  expect(large).toMatchObject({ ok: false, expected: 'a plan that can be run' })
  expect(large.nearest).toBeUndefined()
})

it('where it is not asked whether the plan fits, what is legal would do', async () => {
  const { nearest } = await legal('meta-llama/Llama-3.3-70B-Instruct', { fits: false })
  expect(nearest).toMatchObject([{ detail: 'tensor 1, data 3' }])
})
