/** torchtitan's selective checkpointing by operation keeps what its policy says, and where none says it nothing is said to fit. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const file = (sequences: number, more = '', mode = '"selective"\nselective_ac_option = "op"') => `[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = ${sequences}
seq_len = 8192
[parallelism]
data_parallel_shard_degree = -1
${more}
[activation_checkpoint]
mode = ${mode}`

async function asked(path: string, torchtitan: string) {
  const body = { hardware: { chip: 'h100-sxm', chips: 8 }, plan: { torchtitan } }
  const { status, body: answer, text } = await agent.post(path).send(body)
  expect(status, text.slice(0, 500)).toBe(200)
  return answer
}

interface Told {
  readonly checks: readonly { readonly name: string; readonly ok: boolean }[]
  readonly doubts?: readonly string[]
}

const fitting = ({ checks }: Told) => checks.find(({ name }) => name === 'fits')?.ok

it('a layer keeps its input, two of its projections, the result of attention, one of the MLP, and what the MLP makes', async () => {
  const { plan } = await asked('/evaluate', file(2))
  const perToken = 4096 + (4096 + 1024) + 4096 + 14_336 + 4096
  expect(plan.rematerialization).toEqual([{ policy: 'selective_op', layers: 32 }])
  expect(plan.memoryBytes.activations).toBeCloseTo(2 * perToken * 32 * 2 * 8192, 0)
  expect(plan.launch.torchtitan).toContain('mode = "selective"\nselective_ac_option = "op"')
  const [none, full] = await Promise.all(
    ['"none"', '"full"'].map((mode) => asked('/evaluate', file(1, '', mode))),
  )
  const own = await asked('/evaluate', file(1))
  // What runs again: keys, the projection from heads, and one of the two into the MLP.
  const again = (4096 * 1024 + 4096 * 4096 + 4096 * 14_336) / (4096 * (2 * 4096 + 2 * 1024 + 3 * 14_336))
  const share = (own.plan.hfu / own.plan.mfu - 1) / (full.plan.hfu / full.plan.mfu - 1)
  expect(none.plan.hfu).toBeCloseTo(none.plan.mfu, 6)
  expect(share).toBeLessThan(again)
  expect(share).toBeGreaterThan(0.7 * again)
})

it('six sequences a GPU do not fit, and two do, as in its own benchmark', async () => {
  expect(fitting(await asked('/validate', file(6)))).toBe(false)
  expect(fitting(await asked('/validate', file(2)))).toBe(true)
})

it.each([
  ['tensor parallelism', file(1, 'tensor_parallel_degree = 2')],
  ['a memory budget', file(1, '', '"memory_budget"')],
])('with %s it is told that the plan is completed, and not that it fits', async (_, torchtitan) => {
  const told = await asked('/validate', torchtitan)
  expect(fitting(told)).toBeUndefined()
  expect(told.doubts).toEqual([expect.stringContaining('whether the file fits is not said')])
})

it('what fits in no way is still said not to fit', async () => {
  expect(fitting(await asked('/validate', file(64, 'tensor_parallel_degree = 2')))).toBe(false)
})
