/** A framework under which a plan of generation takes longer than the request allows is named. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const asked = async (more: object, frameworks?: readonly string[]) => {
  const { body, status } = await agent.post('/optimize').send({
    ...{ model: 'llama-3.3-70b', hardware: { chip: 'h100-sxm', chips: 8 } },
    workload: { mode: 'generate', batchSequences: 'max', contextLength: 4096, ...more },
    ...(frameworks ? { assumptions: { frameworks } } : {}),
  })
  expect(status).toBe(200)
  return body as {
    readonly plans: readonly {
      readonly launch: {
        readonly notes: readonly string[]
        readonly stepTimeSeconds: Readonly<Record<string, number>>
      }
    }[]
    readonly warnings: readonly string[]
  }
}

describe('a limit on steps', () => {
  const limit = 0.03
  const isOver = (seconds: number) => seconds > limit

  it('is over for each framework that is told so, and for no other', async () => {
    const { plans, warnings } = await asked({ maxStepSeconds: limit })
    const times = plans.flatMap(({ launch }) =>
      Object.entries(launch.stepTimeSeconds).map(([name, seconds]) => {
        const said = launch.notes.some((note) => note.startsWith(`${name}: a step takes`))
        expect(said, `${name} takes ${seconds}`).toBe(isOver(seconds))
        return seconds
      }),
    )
    expect(times.some(isOver)).toBe(true)
    const ofFirst = Object.values(plans[0]?.launch.stepTimeSeconds ?? {})
    const told = warnings.filter((warning) => /^the best plan, .*: a step takes/.test(warning))
    expect(told).toHaveLength(ofFirst.filter(isOver).length)
  })

  it('is met by the framework that is asked for alone, as the note says', async () => {
    const { plans } = await asked({ maxStepSeconds: limit }, ['vllm'])
    for (const { launch } of plans) expect(isOver(launch.stepTimeSeconds.vllm ?? 0)).toBe(false)
  })

  it('is not spoken of where there is none', async () => {
    expect(JSON.stringify(await asked({}))).not.toContain('over the limit')
  })
})
