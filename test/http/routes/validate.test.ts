/** Checks of plans over HTTP, as a CI job would use them: results, formats, and that the suggested changes pass. */

import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, it } from 'vitest'
import { changed } from '../../../api/hints/change.ts'
import { percent, secondsText } from '../../../src/plan/explain/figures.ts'
import type { Check } from '../../../src/validation/check.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const question = {
  model: 'llama-3-8b',
  hardware: { chip: 'h100-sxm', chips: 64 },
  workload: { mode: 'train', batchTokens: 1_048_576, sequenceLength: 4096 },
  constraints: { pipeline: 1, context: 1 },
}
const good = { mesh: { fsdp: 64 }, zeroStage: 3 }

interface Answer {
  readonly ok: boolean
  readonly checks: readonly Check[]
  readonly plan: {
    readonly stepTimeSeconds: number
    readonly summary: string
    readonly launch: Readonly<Record<string, unknown>>
  } | null
  readonly best: { readonly stepTimeSeconds: number } | null
  readonly doubts?: readonly string[]
}

async function validated(body: object, status = 200): Promise<Answer> {
  const response = await agent.post('/validate').send(body)
  expect(response.status, response.text.slice(0, 400)).toBe(status)
  return response.body
}

const failing = ({ checks }: Answer) => checks.filter(({ ok }) => !ok)

/** Every nearest change of every check that fails makes that check hold. */
async function expectRemedied(body: object) {
  const answer = await validated(body)
  const failed = failing(answer)
  expect(failed.length).toBeGreaterThan(0)
  for (const { name, nearest = [] } of failed) {
    expect(nearest.length, name).toBeGreaterThan(0)
    for (const { changes } of nearest) {
      const again = await validated(changed(body, changes) as object)
      const stillFails = failing(again).filter((check) => check.name === name)
      expect(stillFails, JSON.stringify(changes)).toEqual([])
    }
  }
  return answer
}

describe('POST /validate', () => {
  it('finds nothing to say of a plan that is legal and fits', async () => {
    const answer = await validated({ ...question, plan: good })
    expect(answer.ok).toBe(true)
    expect(answer.checks.map(({ name }) => name)).toEqual(['legal', 'fits'])
    expect(answer.plan?.stepTimeSeconds).toBeGreaterThanOrEqual(answer.best?.stepTimeSeconds ?? Infinity)
  })

  it('points at an axis that divides nothing, and names the nearest sizes that would', async () => {
    const plan = { mesh: { tensor: 64 } }
    const answer = await validated({ ...question, plan })
    expect(answer).toMatchObject({ ok: false, plan: null })
    const [check] = failing(answer)
    expect(check).toMatchObject({ name: 'legal', pointer: '/plan/mesh/tensor' })
    expect(check?.nearest?.[0]?.changes).toContainEqual({ pointer: '/plan/mesh/tensor', value: 32 })
    await expectRemedied({ ...question, plan })
  })

  it('names the one axis that would make a mesh of too many chips be all of them', async () => {
    const plan = { mesh: { fsdp: 16, tensor: 5 } }
    const [check] = failing(await validated({ ...question, plan }))
    expect(check).toMatchObject({ pointer: '/plan/mesh', nearest: [{ detail: 'tensor 4' }] })
    await expectRemedied({ ...question, plan })
  })

  it.each([
    [{ tensor: 8, data: 13, pipeline: 5 }, 'data 16, pipeline 4'],
    [{ tensor: 9, data: 13, pipeline: 5 }, 'data 16, tensor 8, pipeline 4'],
  ])('names the nearest mesh of all chips where no one axis of %j would do', async (mesh, nearest) => {
    const body = {
      ...{ ...question, model: 'llama-3-70b', hardware: { chip: 'h100-sxm', chips: 512 } },
      workload: { mode: 'train', batchTokens: 4_194_304, sequenceLength: 8192 },
      plan: { mesh },
    }
    const [check] = failing(await validated(body))
    expect(check?.nearest?.map(({ detail }) => detail)).toEqual([nearest, expect.anything()])
    await expectRemedied(body)
  })

  it('says by how much a plan does not fit, and what mends it', async () => {
    const body = { ...question, plan: { mesh: { data: 64 }, zeroStage: 0, rematerialization: 'full' } }
    const [check] = failing(await validated(body))
    expect(check).toMatchObject({ name: 'fits', ok: false })
    expect(check?.message).toMatch(/too many/)
    await expectRemedied(body)
  })

  it('holds a plan to what it is required to be', async () => {
    const require = {
      minMfu: 0.99,
      maxStepSeconds: 1e-3,
      withinOfBest: 0,
      notBoundBy: ['compute', 'leaf', 'nvlink', 'spine', 'communication'],
    }
    const plan = { mesh: { fsdp: 16, tensor: 4 }, zeroStage: 3, rematerialization: 'full' }
    const answer = await validated({ ...question, plan, require })
    expect(failing(answer).map(({ name }) => name)).toEqual(Object.keys(require))
    // Reports in text, annotations and SARIF have only the message: it says the limit too.
    for (const { message, expected } of failing(answer)) {
      expect(message).toContain(String(expected).replace(/^not /, ''))
    }
    // What nothing meets says how far it is from what there is.
    const [mfu, step] = failing(answer).map(({ message }) => message)
    expect(mfu).toMatch(/no plan is that good: the fastest has [\d.]+ %\.$/)
    expect(step).toMatch(/no plan is that good: the fastest takes [\d.]+ m?s\.$/)
    const none = await validated({ ...question, plan, require: { fits: false } })
    expect(none.checks.map(({ name }) => name)).toEqual(['legal'])
  })

  it('judges no time of a plan that does not fit, unless nobody asks whether it does', async () => {
    const plan = { mesh: { data: 64 }, zeroStage: 0, rematerialization: 'full' }
    const asked = async (require: object) => {
      const { checks } = await validated({ ...question, plan, require })
      return checks.find(({ name }) => name === 'withinOfBest')
    }
    expect(await asked({ withinOfBest: 1 })).toMatchObject({ ok: false, actual: 'not judged' })
    expect(await asked({ withinOfBest: 1, fits: false })).not.toMatchObject({ actual: 'not judged' })
  })

  it('refuses to rule out what plans on this machine cannot be bound by, and shares beyond all of it', async () => {
    const { errors } = (await validated(
      { ...question, plan: good, require: { notBoundBy: ['leaf', 'spin', 'hbm', 'ici'] } },
      422,
    )) as unknown as { errors: readonly { pointer: string; detail: string; correction?: unknown }[] }
    expect(errors.map(({ pointer }) => pointer)).toEqual(['/require/notBoundBy/1', '/require/notBoundBy/3'])
    expect(errors[0]?.detail).toMatch(/pipelineBubble.*nvlink, leaf, spine.*did you mean spine\?/)
    expect(errors[0]?.correction).toEqual([{ pointer: '/require/notBoundBy/1', value: 'spine' }])
    const pods = { ...question, hardware: { chip: 'v5p', topology: [4, 4, 4] }, plan: good }
    await validated({ ...pods, require: { notBoundBy: ['ici', 'dcn', 'host', 'communication'] } })
    await validated({ ...pods, require: { notBoundBy: ['spine'] } }, 422)
    const shares = await agent
      .post('/validate')
      .send({ ...question, plan: good, require: { withinOfBest: 10 } })
    expect(shares.status).toBe(400)
    expect(shares.body.detail).toBe('/require/withinOfBest: is a fraction: at most 1; did you mean 0.1?')
  })

  it('says which requirements are not of a deployment, and that limits are likely meant in milliseconds', async () => {
    const body = (workload: object, require: object) => ({
      model: 'llama-3-8b',
      hardware: { chip: 'h100-sxm', chips: 8 },
      workload: { mode: 'serve', promptLength: 1024, outputLength: 128, requestsPerSecond: 1, ...workload },
      plan: { disaggregated: false, generate: { mesh: { tensor: 1 } } },
      require,
    })
    const { errors } = (await validated(body({}, { minMfu: 0.4, fist: true }), 400)) as unknown as {
      errors: readonly { pointer: string; detail: string }[]
    }
    expect(errors.map(({ pointer }) => pointer)).toEqual(['/require/minMfu', '/require/fist'])
    expect(errors[0]?.detail).toMatch(/^does not exist in mode serve.*fits, withinOfBest and launchableBy/)
    const limits = async (first: number, each: number) => {
      const workload = { maxTimeToFirstTokenSeconds: first, maxTimePerOutputTokenSeconds: each }
      const { warnings } = (await validated(body(workload, {}))) as unknown as { warnings: readonly string[] }
      return warnings.filter((warning) => warning.includes('seconds are meant'))
    }
    expect(await limits(120, 5)).toEqual([])
    expect(await limits(500, 50)).toEqual([
      'maxTimeToFirstTokenSeconds 500 is taken as 500 s: seconds are meant; 0.5 if 500 ms was',
      'maxTimePerOutputTokenSeconds 50 is taken as 50 s: seconds are meant; 0.05 if 50 ms was',
    ])
  })

  it('is within any share of the best when it is the best', async () => {
    const { best } = await validated({ ...question, plan: good })
    const mesh = (best as unknown as { mesh: object }).mesh
    expect(await validated({ ...question, plan: { mesh }, require: { withinOfBest: 0 } })).toMatchObject({
      ok: true,
    })
  })

  it('asks each framework whether it can launch the plan', async () => {
    const require = { launchableBy: ['megatron', 'maxtext'] }
    const plan = { mesh: { fsdp: 64 }, zeroStage: 3, rematerialization: 'save_out_proj' }
    const [check] = failing(await validated({ ...question, plan, require }))
    expect(check).toMatchObject({ name: 'launchableBy', actual: 'not by 1 of 2' })
    expect(check?.message).toMatch(/^megatron: /)
  })

  it('warns of tensor parallelism beyond the links of a node, and of none inside of one', async () => {
    const doubts = async (mesh: object) =>
      (await validated({ ...question, plan: { mesh } })).doubts?.filter((one: string) => /leaves/.test(one))
    expect(await doubts({ tensor: 16, data: 4 })).toEqual([
      expect.stringMatching(/^tensor 16 leaves the 8 chips that nvlink/),
    ])
    expect((await doubts({ tensor: 8, data: 8 })) ?? []).toEqual([])
  })

  it('chooses what a plan leaves open as the framework that is named to launch it would', async () => {
    const body = {
      ...question,
      model: 'llama-3-70b',
      hardware: { chip: 'h100-sxm', chips: 512 },
      workload: { mode: 'train', batchTokens: 4_194_304, sequenceLength: 8192 },
      constraints: { pipeline: 1, context: 1, tensor2: 1, data: 1 },
      plan: { mesh: { fsdp: 128, tensor: 4 } },
    }
    expect((await validated(body)).plan?.launch.torchtitan).toHaveProperty('unsupported')
    expect(await validated({ ...body, require: { launchableBy: ['torchtitan'] } })).toMatchObject({
      ok: true,
    })
  })

  it('checks plans of generation too', async () => {
    const workload = { mode: 'generate', batchSequences: 8, contextLength: 4096 }
    const hardware = { chip: 'h100-sxm', chips: 8 }
    const answer = await validated({ ...question, hardware, workload, plan: { mesh: { tensor: 8 } } })
    expect(answer.ok).toBe(true)
    await expectRemedied({
      ...question,
      hardware,
      workload,
      plan: { mesh: { tensor: 4, pipeline: 2, fsdp: 1 } },
      memoryBudget: { bytesPerChip: 2.2e9 },
    })
  })

  it('says of a server short of its rate how many of it, or which other, would do', async () => {
    const workload = { mode: 'serve', promptLength: 2048, outputLength: 256, requestsPerSecond: 20 }
    const latencies = { maxTimeToFirstTokenSeconds: 1, maxTimePerOutputTokenSeconds: 0.05 }
    const short = {
      model: 'llama-3-70b',
      hardware: { chip: 'h100-sxm', chips: 8 },
      workload: { ...workload, ...latencies },
      precision: { weights: 'fp8', compute: 'fp8', kvCache: 'fp8' },
      plan: { disaggregated: false, generate: { mesh: { tensor: 8 }, instances: 1 } },
    }
    const ways = failing(await expectRemedied(short)).flatMap(({ nearest = [] }) => nearest)
    expect(ways.map(({ detail }) => detail.replace(/:.*/, ''))).toEqual([
      'more chips',
      'more chips and other layouts',
      'a lower rate',
    ])
    const wider = await expectRemedied({ ...short, hardware: { chip: 'h100-sxm', chips: 16 } })
    const [, other] = failing(wider).flatMap(({ nearest = [] }) => nearest)
    expect(other?.detail).toMatch(/^other layouts: the search finds "/)
  })

  it('holds a plan to the one that /optimize prefers of those that are tied, and finds the fastest where only that will do', async () => {
    const { require: _, ...hundreds } = {
      ...{ ...question, model: 'llama-3-70b', hardware: { chip: 'h100-sxm', chips: 512 }, constraints: {} },
      workload: { mode: 'train', batchTokens: 4_194_304, sequenceLength: 8192 },
      assumptions: { stack: 'torchtitan', frameworks: ['torchtitan'] },
      require: {},
    }
    const { plans, preferred } = (await agent.post('/optimize').send(hundreds)).body
    expect(preferred.rank).toBeGreaterThan(1)
    const [fastest, chosen] = [plans[0], plans[preferred.rank - 1]]
    const [least, longer] = [fastest.stepTimeSeconds, chosen.stepTimeSeconds]
    const checked = (plan: object, require: object) =>
      agent
        .post('/validate')
        .send({ ...hundreds, plan, require: { launchableBy: ['torchtitan'], ...require } })
    const slow = { mesh: { fsdp: 128, tensor: 4 }, zeroStage: 3 }
    const { body } = await checked(slow, { withinOfBest: 0, maxStepSeconds: (least + longer) / 2 })
    expect([body.best.summary, body.preferred.reasons]).toEqual([chosen.summary, preferred.reasons])
    const details = failing(body).map(({ name, nearest = [] }) => [name, nearest.at(-1)?.detail])
    expect(details).toEqual([
      ['maxStepSeconds', `the fastest plan: ${fastest.summary}`],
      ['withinOfBest', `the best plan: ${chosen.summary}`],
    ])
    const { body: ahead } = await checked({ mesh: fastest.mesh }, { withinOfBest: 0 })
    expect(failing(ahead)).toEqual([])
    expect(ahead.plan.againstFirst).toMatchObject({ slowerBy: 0, tied: true })
    const other = plans.find(
      ({ rank, againstFirst }: typeof chosen) => rank > preferred.rank && againstFirst.tied,
    )
    const { body: tied } = await checked({ mesh: other.mesh }, { withinOfBest: 0 })
    expect(failing(tied)[0]?.message).toContain('As far as measured runs tell, it is tied with the fastest.')
    const text = await checked(slow, {}).set('accept', 'text/plain').buffer(true)
    const figures = (time: number, mfu: number) => `${secondsText(time)}, MFU ${percent(mfu)}`
    const of = figures(chosen.stepTimeSeconds, chosen.mfu)
    expect(text.text).toContain(
      `best  ${chosen.summary} (${of}) (preferred of ${preferred.among} that are tied;`,
    )
    const { plan: written } = (await checked(slow, {})).body
    const behind = percent(written.stepTimeSeconds / longer - 1)
    expect(text.text).toContain(
      `(${figures(written.stepTimeSeconds, written.mfu)}): ${behind} slower than the best`,
    )
  })

  it('points at the memory budget whether a plan fits or not', async () => {
    const { checks } = await validated({ ...question, plan: good })
    expect(checks.find(({ name }) => name === 'fits')).toMatchObject({ ok: true, pointer: '/memoryBudget' })
  })

  it('fails with 422 where it is asked to, and with no other status', async () => {
    const plan = { mesh: { tensor: 64 } }
    const failed = await agent.post('/validate?failWith=422').send({ ...question, plan })
    expect(failed.status).toBe(422)
    expect(failed.body.ok).toBe(false)
    expect((await agent.post('/validate?failWith=422').send({ ...question, plan: good })).status).toBe(200)
    const other = await agent.post('/validate?failWith=500').send({ ...question, plan })
    expect([other.status, other.body.detail]).toEqual([400, 'The query parameter failWith is one of 422.'])
  })
})

describe('the same checks', () => {
  const body = { ...question, plan: { mesh: { tensor: 64 } }, require: { minMfu: 0.1 } }
  const asked = (accept: string) => agent.post('/validate').set('accept', accept).buffer(true).send(body)

  it('as JUnit XML, that a parser of XML reads', async () => {
    const { text, headers } = await asked('application/xml')
    expect(headers['content-type']).toMatch(/^application\/xml/)
    expect(XMLValidator.validate(text)).toBe(true)
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(text)
    expect(testsuites.testsuite['@_failures']).toBe('1')
    expect(testsuites.testsuite.testcase.failure['@_type']).toBe('legal')
  })

  it('as SARIF, with a rule and a place for each result', async () => {
    const { text, headers } = await asked('application/sarif+json')
    expect(headers['content-type']).toMatch(/^application\/sarif\+json/)
    const [run] = JSON.parse(text).runs
    for (const { ruleId, ruleIndex, kind } of run.results) {
      expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId)
      expect(kind).toBe('fail')
    }
    expect(run.results[0].level).toBe('error')
  })

  it('are failed ones where a request is refused, in what programs read, with the status of its problem', async () => {
    const refused = {
      hardware: { chip: 'h100-sxm', chips: 8 },
      plan: { megatron: 'pretrain_gpt.py --tensor-model-parallel-size three' },
    }
    const sent = (accept: string, send: object = refused) =>
      agent.post('/validate?failWith=422').set('accept', accept).buffer(true).send(send)
    const xml = await sent('application/xml')
    expect([xml.status, xml.headers['content-type']]).toEqual([
      422,
      expect.stringMatching(/^application\/xml/),
    ])
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(xml.text)
    const [first] = [testsuites.testsuite.testcase].flat()
    expect([first['@_name'], first.failure['@_type']]).toEqual(['request /plan/megatron', 'request'])
    const sarif = await sent('application/sarif+json')
    expect(JSON.parse(sarif.text).runs[0].results[0]).toMatchObject({ ruleId: 'request', level: 'error' })
    const strange = await sent('application/xml', { ...refused, frob: 1 })
    expect([strange.status, strange.text]).toEqual([400, expect.stringMatching(/<failure type="request"/)])
    expect((await sent('text/plain')).headers['content-type']).toMatch(/^application\/problem\+json/)
  })

  it('as a table, a line each', async () => {
    const { text } = await asked('text/plain')
    expect(text).toMatch(/^FAIL {2}legal {2}/)
    expect(text).toMatch(/1 of 1 checks fail/)
  })
})
