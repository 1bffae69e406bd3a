/** Servers are told to take the longest request, not one of mean lengths. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

interface Start {
  readonly command: string
  readonly files: readonly { readonly text: string }[]
}

const gpus = { chip: 'h100-sxm', chips: 16 }
const tpus = { chip: 'tpu-v5p', topology: [2, 2, 4] }
const lengths = { mode: 'serve', promptLength: 1000, outputLength: 200, requestsPerSecond: 2 }

const said = (text: string, name: string) => {
  const [, number] = new RegExp(`${name}["':= ]+(\\d+)`).exec(text) ?? []
  return number === undefined ? undefined : Number(number)
}

async function commandsOf(hardware: object, workload: object) {
  const { body } = await agent.post('/optimize').send({ model: 'llama-3-8b', hardware, workload, top: 1 })
  const [plan] = body.plans
  const servers = [plan, plan.prefill, plan.generate].flatMap(({ launch }) =>
    Object.entries((launch.commands ?? {}) as Record<string, Start>),
  )
  return servers
    .filter(([name]) => !name.endsWith('-router'))
    .map(([name, { command, files }]) => ({
      name,
      text: [command, ...files.map((one) => one.text)].join('\n'),
    }))
}

const names = /--max-model-len|--context-length|max_seq_len|max_target_length/

it.each([
  ['one server', false, 8192, 8192],
  ['one server', false, undefined, 1200],
  ['servers apart', true, 8192, 8192],
  ['servers apart', true, undefined, 1200],
] as const)('%s (apart %s) with contextLength %s takes %s positions', async (_, disaggregated, asked, least) => {
  for (const hardware of [gpus, tpus]) {
    const workload = { ...lengths, disaggregated, ...(asked ? { contextLength: asked } : {}) }
    const commands = await commandsOf(hardware, workload)
    expect(commands.length).toBeGreaterThan(1)
    for (const { name, text } of commands) {
      const [option = ''] = names.exec(text) ?? []
      // SGLang keeps a few positions of its own beside a prompt.
      expect(said(text, option), name).toBeGreaterThanOrEqual(least)
      expect(said(text, option), name).toBeLessThan(least + 8)
    }
  }
})

it('MaxText, which keeps prompts and outputs apart, has room for both of the longest request', async () => {
  const told = async (workload: object) => {
    const commands = await commandsOf(tpus, { ...lengths, disaggregated: false, ...workload })
    const { text } = commands.find(({ name }) => name === 'maxtext') ?? { text: '' }
    return [said(text, 'max_prefill_predict_length'), said(text, 'max_target_length')]
  }
  expect(await told({})).toEqual([1000, 1200])
  expect(await told({ contextLength: 12_000 })).toEqual([10_000, 12_000])
  expect(await told({ promptLength: 4000, outputLength: 1, contextLength: 6000 })).toEqual([5999, 6000])
})
