/** Published launch files are read completely, as the plans that they are, and pass validation, as the runs did run. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Change } from '../../src/rules/part-rule.ts'
import { planning } from '../http/planning.ts'
import { service } from '../http/service.ts'

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

async function validated(request: object) {
  const { status, body } = await agent.post('/validate').send(request)
  expect(status, JSON.stringify(body.errors)).toBe(200)
  return body
}

/** What a change says of a launch file, as of the request that the file was read into. */
function ofRequest(check: {
  readonly nearest?: readonly { readonly changes: readonly Change[]; readonly inFile?: unknown }[]
}) {
  const { nearest, ...rest } = check
  const told = nearest?.map(({ inFile: _, ...remedy }) => ({
    ...remedy,
    changes: remedy.changes.map(({ pointer, value }) => ({
      pointer: pointer.replace(/^\/read\/request/, ''),
      value,
    })),
  }))
  return { ...rest, ...(told ? { nearest: told } : {}) }
}

/** The best plan is to be one of the same mesh, so that the search is short. */
function asked({ request, key, file, mesh }: Published): object {
  const constraints = Object.fromEntries(axes.map((axis) => [axis, mesh[axis] ?? 1]))
  return { ...request, constraints, require: { withinOfBest: 0 }, plan: { [key]: file } }
}

describe('a published launch file', () => {
  it.each(
    files,
  )('of $name is read whole and fits, and gets the checks of what it is read into', async (own) => {
    const { mesh, zeroStage, over } = own
    const { warnings: _, read, ...found } = await validated(asked(own))
    const { plan, checks } = found
    expect(read.notUnderstood).toEqual([])
    expect(plan.mesh).toMatchObject(mesh)
    const product = Object.values(plan.mesh as Record<string, number>).reduce((all, size) => all * size, 1)
    expect(product).toBe(plan.chips)
    if (zeroStage !== undefined) expect(plan.zeroStage).toBe(zeroStage)
    expect(plan.feasible).toBe(over === undefined)
    expect(plan.memoryBytes.total).toBeLessThan(1.1 * plan.memoryBytes.budget)
    if (read.request.workload.mode === 'train') {
      expect(plan.mfu).toBeGreaterThan(0.15)
      expect(plan.mfu).toBeLessThan(0.7)
    }
    const { warnings: __, ...again } = await validated(read.request)
    expect(checks.length).toBeGreaterThan(2)
    expect(again).toEqual({ ...found, checks: checks.map(ofRequest) })
  })

  it('has a source, each of another framework or model', () => {
    expect(files.length).toBeGreaterThanOrEqual(15)
    expect(new Set(files.map(({ source }) => source)).size).toBeGreaterThanOrEqual(15)
    expect(new Set(files.map(({ key }) => key)).size).toBe(8)
  })
})
