/** A plan that misses a requirement by one thing that it says is told that one thing first, in the words of its launch file. */
import { expect, it } from 'vitest'
import { changed } from '../../../api/hints/change.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

interface Validated {
  readonly ok: boolean
  readonly plan: object
  readonly best: object
  readonly read: { readonly request: object }
  readonly checks: readonly {
    readonly name: string
    readonly nearest?: readonly {
      readonly detail: string
      readonly changes: Parameters<typeof changed>[1]
      readonly inFile?: { readonly set: readonly string[]; readonly unset: readonly string[] }
    }[]
  }[]
}

async function validated(body: object): Promise<Validated> {
  const response = await agent.post('/validate').send(body)
  expect(response.status, response.text.slice(0, 400)).toBe(200)
  return response.body
}

const remediesIn = ({ checks }: Validated, of: string) =>
  checks.find(({ name }) => name === of)?.nearest ?? []

const model = 'llama-3-8b'
const hiding = '--use-distributed-optimizer --tp-comm-overlap --overlap-grad-reduce --overlap-param-gather'
const line =
  'torchrun --nproc-per-node 8 --nnodes 2 pretrain_gpt.py --seq-length 8192 --micro-batch-size 1 --global-batch-size 64 --bf16 --tensor-model-parallel-size 2 --sequence-parallel'

const trained = (flags: string, require: object) => ({
  ...{ model, hardware: { chip: 'h100-sxm' }, constraints: { tensor: 2, pipeline: 1, context: 1 } },
  ...{ plan: { megatron: `${line} ${flags}` }, require },
})

it.each([
  ['one option that its plan alone is costed without', ['--tp-comm-overlap']],
  ['the options that go together', ['--overlap-grad-reduce', '--overlap-param-gather']],
])('a launch file that lacks %s is told it before another layout', async (_, set) => {
  const without = hiding.replace(set.join(' '), '')
  const asked = trained(without, { withinOfBest: 0.015 })
  const lacking = await validated(asked)
  const [first, ...others] = remediesIn(lacking, 'withinOfBest')
  expect(first?.detail).toMatch(new RegExp(`^with ${set.join(' and ')}; a step takes `))
  expect(first?.inFile).toEqual({ set, unset: [] })
  expect(others.at(-1)?.detail).toMatch(/^the best plan: /)
  const again = await validated(changedRequest(lacking, first?.changes ?? []))
  expect(again.ok).toBe(true)
  expect(again.best).toEqual(lacking.best)
  // What the remedy says is said there alone: the plan is still the one that the file starts.
  const open = await validated(trained(without, { withinOfBest: 1 }))
  expect(lacking.plan).toEqual(open.plan)
})

it('of two things that it lacks, it is told the one that is enough', async () => {
  const flags = '--use-distributed-optimizer'
  const both = await validated(trained(flags, { withinOfBest: 0.015 }))
  expect(remediesIn(both, 'withinOfBest')[0]?.inFile?.set.toSorted()).toEqual([
    '--overlap-grad-reduce',
    '--overlap-param-gather',
    '--tp-comm-overlap',
  ])
  const looser = await validated(trained(flags, { withinOfBest: 0.04 }))
  const [first] = remediesIn(looser, 'withinOfBest')
  expect(first?.inFile?.set).toEqual(['--tp-comm-overlap'])
  expect((await validated(changedRequest(looser, first?.changes ?? []))).ok).toBe(true)
})

it('recomputation that is not needed is told to be taken out', async () => {
  const flags = `${hiding} --recompute-granularity full --recompute-method uniform --recompute-num-layers 1`
  const slow = await validated(trained(flags, { withinOfBest: 0.1, minMfu: 0.45 }))
  for (const check of ['withinOfBest', 'minMfu']) {
    const [first] = remediesIn(slow, check)
    expect(first?.detail, check).toMatch(/^another rematerialisation: none on 32 layers; a step takes /)
    expect(first?.inFile?.unset).toContain('--recompute-granularity full')
    expect((await validated(changedRequest(slow, first?.changes ?? []))).ok).toBe(true)
  }
})

it('a server whose limit holds it back is told the limit', async () => {
  const asked = {
    ...{ model, hardware: { chip: 'h100-sxm', chips: 1 } },
    workload: { mode: 'serve', promptLength: 2048, outputLength: 256 },
    plan: { vllm: 'vllm serve meta-llama/Meta-Llama-3-8B --max-num-seqs 4 --max-model-len 8192' },
    require: { withinOfBest: 0.2 },
  }
  const capped = await validated(asked)
  const [first] = remediesIn(capped, 'withinOfBest')
  expect(first?.detail).toMatch(
    /^other server limits: at most \d+ sequences at once; for a request the pool takes /,
  )
  expect(first?.inFile?.set.join()).toMatch(/^--max-num-seqs \d+(,--gpu-memory-utilization 0\.\d+)?$/)
  expect((await validated(changedRequest(capped, first?.changes ?? []))).ok).toBe(true)
})

/** The request that the file was read into, with changes that point into the answer. */
function changedRequest(answer: Validated, changes: Parameters<typeof changed>[1]): object {
  return (changed(answer, changes) as Validated).read.request
}
