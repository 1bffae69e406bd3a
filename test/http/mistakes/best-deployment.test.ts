/** The best deployment that a check names, sent back as the plan, is what the check says of it. */
import { expect, it } from 'vitest'
import { changed } from '../../../api/hints/change.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })
const workload = { mode: 'serve', promptLength: 1024, outputLength: 512 }

interface Validated {
  readonly checks: readonly {
    readonly name: string
    readonly ok: boolean
    readonly message: string
    readonly nearest?: readonly {
      readonly detail: string
      readonly changes: Parameters<typeof changed>[1]
      readonly inFile?: { readonly set: readonly string[]; readonly unset: readonly string[] }
    }[]
  }[]
  readonly read: { readonly request: object }
}

async function posted(path: string, body: object) {
  const response = await agent.post(path).send(body)
  expect(response.status, response.text.slice(0, 400)).toBe(200)
  return response.body
}

const bestOf = ({ checks }: Validated) =>
  checks
    .flatMap(({ name, nearest = [] }) => (name === 'withinOfBest' ? nearest : []))
    .find(({ detail }) => detail.startsWith('the best plan'))

it('runs though its mesh has a replica for each prompt, and its prompts are left out', async () => {
  const body = {
    ...{ hardware: { chip: 'h200-sxm', chips: 8 }, workload, require: { withinOfBest: 0.1 } },
    plan: {
      sglang:
        'python3 -m sglang.launch_server --model deepseek-ai/DeepSeek-R1 --tp 8 --dp 8 --enable-dp-attention',
    },
  }
  const slow: Validated = await posted('/validate', body)
  const best = bestOf(slow)
  expect(best?.detail).toContain('(expert 8) for both phases')
  const { read } = changed(slow, best?.changes ?? []) as Validated
  const again: Validated = await posted('/validate', read.request)
  expect(again.checks.filter(({ ok }) => !ok)).toEqual([])
  expect(again.checks.find(({ name }) => name === 'withinOfBest')?.message).toContain('0.0 % over')
})

it.each([
  ['written for prefill as well', { prefill: { mesh: { expert: 8 } } }],
  ['written for generation alone', {}],
])('where nothing fits, a mesh %s reads a prompt on each replica', async (_, own) => {
  const evaluated = (prefill: object) =>
    posted('/evaluate', {
      ...{ model: 'deepseek-ai/DeepSeek-R1', hardware: { chip: 'h100-sxm', chips: 8 }, workload },
      plan: { disaggregated: false, generate: { mesh: { expert: 8 } }, ...prefill },
    })
  const { plan } = await evaluated(own)
  expect(plan.feasible).toBe(false)
  const said = await evaluated({ prefill: { mesh: { expert: 8 }, batchSequences: 8 } })
  expect(plan.infeasible).toEqual(said.plan.infeasible)
})

it('a rule that is broken is told in a sentence', async () => {
  const { checks }: Validated = await posted('/validate', {
    ...{ model: 'llama-3-8b', hardware: { chip: 'h100-sxm', chips: 8 }, workload },
    plan: { disaggregated: false, prefill: { mesh: { data: 8 }, batchSequences: 4 } },
  })
  expect(checks.map(({ message }) => message)).toEqual(['8 replicas are more than the 4 sequences.'])
})

it.each([
  [
    'vllm',
    'vllm serve meta-llama/Llama-3.3-70B-Instruct --tensor-parallel-size 8 --max-model-len 8192 --max-num-seqs 16',
  ],
  [
    'sglang',
    'python3 -m sglang.launch_server --model-path meta-llama/Llama-3.3-70B-Instruct --tp 8 --context-length 8192 --max-running-requests 16',
  ],
  [
    'tensorrtLlm',
    'trtllm-serve meta-llama/Llama-3.3-70B-Instruct --tp_size 8 --max_seq_len 8192 --max_batch_size 16',
  ],
])('takes requests as long as the file of %s says', async (framework, command) => {
  const body = {
    ...{ hardware: { chip: 'h100-sxm', chips: 8 }, require: { withinOfBest: 0.05 } },
    ...{ workload: { ...workload, disaggregated: false }, plan: { [framework]: command } },
  }
  const held: Validated = await posted('/validate', body)
  const best = bestOf(held)
  expect(best?.inFile?.set.length).toBeGreaterThan(0)
  const lengths = /max.model.len|context.length|max.seq.len/
  expect(best?.inFile?.set.filter((one) => lengths.test(one))).toEqual([])
  expect(best?.inFile?.unset.filter((one) => lengths.test(one))).toEqual([])
  const { read } = changed(held, best?.changes ?? []) as Validated
  const again: Validated = await posted('/validate', read.request)
  expect(again.checks.filter(({ ok }) => !ok)).toEqual([])
})
