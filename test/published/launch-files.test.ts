/** Published launch files are read completely, as the plans that they are, and pass validation, as the runs did run. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ownRefusalOf } from '../../src/launch/launch.ts'
import type { Remedy } from '../../src/validation/check.ts'
import { planning } from '../http/planning.ts'
import { service } from '../http/service.ts'
import { runs } from '../runs.ts'

interface Published {
  readonly name: string
  readonly source: string
  readonly request: object
  readonly key: string
  readonly file: unknown
  readonly mesh: Readonly<Record<string, number>>
  readonly zeroStage?: number
  readonly over?: string
}

const { files } = JSON.parse(readFileSync('fixtures/launch-files.json', 'utf8')) as {
  readonly files: readonly Published[]
}
const agent = service({ search: planning })

const axes = ['data', 'fsdp', 'tensor', 'tensor2', 'pipeline', 'expert', 'context']

async function asked(path: string, body: object) {
  const { status, body: answer } = await agent.post(path).send(body)
  expect(status, JSON.stringify(answer.errors)).toBe(200)
  return answer
}

/** What a change says of a launch file, as of the request that the file was read into. */
function ofRequest(check: { readonly nearest?: readonly Remedy[] }) {
  const { nearest, ...rest } = check
  const told = nearest?.map(({ detail, changes }) => ({
    detail,
    changes: changes.map(({ pointer, value }) => ({
      pointer: pointer.replace(/^\/read\/request/, ''),
      value,
    })),
  }))
  return { ...rest, ...(told ? { nearest: told } : {}) }
}

describe('a published launch file', () => {
  it.each(files)('of $name is read whole and fits', async ({ request, key, file, mesh, zeroStage, over }) => {
    const { plan, read } = await asked('/evaluate', { ...request, plan: { [key]: file } })
    expect(read.notUnderstood).toEqual([])
    expect(plan.mesh).toMatchObject(mesh)
    const product = Object.values(plan.mesh as Record<string, number>).reduce((all, size) => all * size, 1)
    expect(product).toBe(plan.chips)
    if (zeroStage !== undefined) expect(plan.zeroStage).toBe(zeroStage)
    expect(plan.feasible).toBe(over === undefined)
    expect(plan.memoryBytes.total).toBeLessThan(1.1 * plan.memoryBytes.budget)
    if (read.request.workload.mode !== 'train') return
    expect(plan.mfu).toBeGreaterThan(0.15)
    expect(plan.mfu).toBeLessThan(0.7)
  })

  it.each(
    files.slice(0, runs(5)),
  )('of $name gets the checks of the request that it is read into', async (own) => {
    const { request, key, file, mesh } = own
    // The best plan is one of the same mesh, so that the search is short.
    const constraints = Object.fromEntries(axes.map((axis) => [axis, mesh[axis] ?? 1]))
    const body = { ...request, constraints, require: { withinOfBest: 0 }, plan: { [key]: file } }
    const { warnings: _, read, ...found } = await asked('/validate', body)
    const { warnings: __, ...again } = await asked('/validate', read.request)
    expect(found.checks.length).toBeGreaterThan(2)
    expect(again).toEqual({ ...found, checks: found.checks.map(ofRequest) })
  })

  it('is launched by its own framework, written here or not: what runs passes by default', async () => {
    const written: Readonly<Record<string, string>> = {
      tensorrtLlm: 'tensorrt-llm',
      megatronBridge: 'megatron',
    }
    const refused = files.map(async ({ name, request, key, file }) => {
      const { plan } = await asked('/evaluate', { ...request, plan: { [key]: file } })
      return ownRefusalOf(plan.launch[written[key] ?? key]) === null ? [] : [name]
    })
    expect((await Promise.all(refused)).flat()).toEqual([])
  })

  it('has a source, each of another framework or model', () => {
    expect(files.length).toBeGreaterThanOrEqual(15)
    expect(new Set(files.map(({ source }) => source)).size).toBeGreaterThanOrEqual(15)
    expect(new Set(files.map(({ key }) => key)).size).toBe(9)
  })
})
