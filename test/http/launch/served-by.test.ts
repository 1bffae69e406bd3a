/** Each command of a deployment, pasted back, does what the answer says of its server: where it misses an objective, the answer said so. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

interface Deployment {
  readonly chips: number
  readonly launch: {
    readonly commands: Readonly<Record<string, { readonly command: string }>>
    readonly requestsPerSecond: Readonly<Record<string, number>>
    readonly notes: readonly string[]
  }
}

const serve = (more: object) => ({ mode: 'serve', disaggregated: false, ...more })

/** Those whose commands say all of a server; that of TensorRT-LLM comes with a file. */
const pasted = ['vllm', 'sglang']

const assumptions = { frameworks: pasted }

const lengths = { promptLength: 1024, outputLength: 1024 }

const questions = {
  'experts at a rate': {
    ...{ model: 'gpt-oss-120b', hardware: { chip: 'b200', chips: 8 } },
    workload: serve({ ...lengths, requestsPerSecond: 100 }),
  },
  'experts at half of it': {
    ...{ model: 'gpt-oss-120b', hardware: { chip: 'b200', chips: 8 }, assumptions },
    workload: serve({ ...lengths, requestsPerSecond: 50 }),
  },
  'a limit on tokens': {
    ...{ model: 'gpt-oss-20b', hardware: { chip: 'h100-sxm', chips: 8 }, assumptions },
    workload: serve({ ...lengths, requestsPerSecond: 60, maxTimePerOutputTokenSeconds: 0.03 }),
  },
  'limits on both': {
    ...{ model: 'llama-3-8b', hardware: { chip: 'h100-sxm', chips: 8 } },
    workload: serve({
      ...{ promptLength: 2048, outputLength: 256, requestsPerSecond: 20 },
      ...{ maxTimeToFirstTokenSeconds: 0.3, maxTimePerOutputTokenSeconds: 0.015 },
    }),
  },
}

async function answered(path: string, body: object) {
  const { status, body: answer } = await service({ search: planning }).post(path).send(body)
  expect(status, JSON.stringify(answer)).toBe(200)
  return answer
}

function isWarned({ launch }: Deployment, name: string): boolean {
  return launch.notes.some((note) => note.startsWith(`${name}: by its own constants`))
}

describe.each(Object.entries(questions))('%s', (_, question) => {
  it('is met by each command that is given for it, or the answer says that it is not', async () => {
    const { plans, warnings } = await answered('/optimize', { ...question, top: 1 })
    const [plan]: readonly Deployment[] = plans
    if (!plan) throw new Error('nothing was found')
    const names = pasted.filter((name) => plan.launch.commands[name])
    expect(names).not.toEqual([])
    for (const name of names) {
      const text = plan.launch.commands[name]?.command
      const constraints = { chips: plan.chips }
      const checked = await answered('/validate', { ...question, constraints, plan: { [name]: text } })
      expect(checked.ok, `${name}: ${plan.launch.notes.join('\n')}`).toBe(!isWarned(plan, name))
      const rate = plan.launch.requestsPerSecond[name] ?? 0
      expect(checked.plan.requestsPerSecond / rate, name).toBeCloseTo(1, 1)
      const told = warnings.some((text: string) => text.startsWith(`${name}: by its own constants`))
      expect(told).toBe(isWarned(plan, name))
    }
  })
})

it('is said of every server that has a command, whatever it shards attention by', async () => {
  const { plans } = await answered('/optimize', { ...questions['experts at a rate'], top: 4 })
  expect(plans.length).toBeGreaterThan(1)
  for (const { launch } of plans as readonly Deployment[]) {
    expect(Object.keys(launch.requestsPerSecond)).toEqual(Object.keys(launch.commands))
  }
})

it('is said of a server that misses its rate, and not of one that was asked for alone', async () => {
  const question = questions['experts at a rate']
  const { plans } = await answered('/optimize', { ...question, top: 1 })
  expect(isWarned(plans[0], 'vllm')).toBe(true)
  expect(isWarned(plans[0], 'sglang')).toBe(false)
  expect(plans[0].launch.requestsPerSecond.vllm).toBeLessThan(100)
  expect(plans[0].launch.requestsPerSecond.sglang).toBeGreaterThan(100)
  const more = { hardware: { chip: 'b200', chips: 16 }, assumptions: { frameworks: ['vllm'] } }
  const alone = await answered('/optimize', { ...question, ...more, top: 1 })
  expect(alone.plans[0].requestsPerSecond).toBeGreaterThan(100)
  expect(isWarned(alone.plans[0], 'vllm')).toBe(false)
})
