/** A request's power cap: what it slows down, what is said of it, and what is refused. */
import { expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

async function asked(hardware: object, workload: object, path = '/optimize') {
  const { status, body } = await agent.post(path).send({
    ...{ model: 'llama-3-8b', hardware: { chip: 'h100-sxm', chips: 8, ...hardware }, workload, top: 1 },
  })
  return { status, body }
}

const train = { mode: 'train', batchSequences: 64, sequenceLength: 8192 }
const generate = { mode: 'generate', batchSequences: 8, contextLength: 2048 }

it('lengthens training, by no more than clocks fall, and hardly lengthens generation', async () => {
  const ratio = async (workload: object) => {
    const whole = (await asked({}, workload)).body.plans[0].stepTimeSeconds
    return (await asked({ powerCapWatts: 500 }, workload)).body.plans[0].stepTimeSeconds / whole
  }
  const most = Math.sqrt(700 / 500)
  expect(await ratio(train)).toBeGreaterThan(1.08)
  expect(await ratio(train)).toBeLessThanOrEqual(most)
  expect(await ratio(generate)).toBeGreaterThanOrEqual(1)
  expect(await ratio(generate)).toBeLessThan(1.01)
})

it('is said in a warning where it is below what the board draws', async () => {
  const told = expect.stringMatching(/^h100-sxm is held to 500 W of 700: .* 84\.5 % of their speed/)
  expect((await asked({ powerCapWatts: 500 }, train)).body.warnings).toContainEqual(told)
  expect((await asked({ powerCapWatts: 700 }, train)).body.warnings).not.toContainEqual(told)
})

it('below which nothing is measured is refused with the least that is', async () => {
  const { status, body } = await asked({ powerCapWatts: 300 }, train)
  expect(status).toBe(422)
  expect(body.errors).toMatchObject([
    { pointer: '/hardware/powerCapWatts', correction: [{ pointer: '/hardware/powerCapWatts', value: 455 }] },
  ])
})

it('needs to know what a board draws, which a request may say', async () => {
  const unknown = { chip: 'tpu-v6e', topology: [2, 4], chips: undefined, powerCapWatts: 200 }
  const { status, body } = await asked(unknown, train)
  expect([status, body.errors?.[0].pointer]).toEqual([422, '/hardware/powerCapWatts'])
  expect((await asked({ ...unknown, boardWatts: 250 }, train)).status).toBe(200)
})
