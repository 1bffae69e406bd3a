/** What an answer has under a framework's name and is no launch file is refused as what it is, for every framework. */
import { expect, it } from 'vitest'
import { launchKeys } from '../../../api/schemas/launch.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })
const asked = { model: 'llama-3-8b', hardware: { chip: 'h100-sxm', chips: 8 } }
const why = 'MaxText has no ring attention'

const told = async (path: string, plan: unknown) => {
  const { status, body } = await agent.post(path).send({ ...asked, plan })
  return [status, body.errors]
}

it.each(launchKeys)('reasons why a plan is not launched are no file of %s', async (key) => {
  const detail = `is no launch file: this is why the framework cannot run the plan: ${why}`
  const faults = [{ pointer: `/plan/${key}`, detail }]
  for (const path of ['/evaluate', '/validate']) {
    expect(await told(path, { [key]: { unsupported: [why] } })).toEqual([400, faults])
  }
})

it.each(launchKeys)('the files of two servers are not one of %s', async (key) => {
  const [status, errors] = await told('/evaluate', { [key]: { prefill: { a: 1 }, generate: ['--tp', '2'] } })
  expect(status).toBe(400)
  expect(errors).toEqual([
    {
      pointer: `/plan/${key}`,
      detail: expect.stringMatching(/^these are two servers, prefill and generate/),
    },
  ])
})

it('a run that was measured is no exception', async () => {
  const run = { ...asked, plan: { maxtext: { unsupported: [why] } }, measuredStepSeconds: 1 }
  const { status, body } = await agent.post('/calibrate').send({ runs: [run] })
  expect([status, body.errors[0].pointer]).toEqual([400, '/runs/0/plan/maxtext'])
})

it('keys that a file may have stay a file', async () => {
  for (const keys of [{ prefill: { a: 1 } }, { unsupported: 'x', kv_cache_config: {} }]) {
    expect(await told('/evaluate', { tensorrtLlm: keys })).toEqual([200, undefined])
  }
})
