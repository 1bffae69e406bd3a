/** Published launch files are read completely, as the plans that they are, and pass validation, as the runs did run. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
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

describe('a published launch file', () => {
  it.each(files)('of $name is read whole and fits', async ({ request, key, file, mesh, zeroStage, over }) => {
    const { status, body } = await agent.post('/evaluate').send({ ...request, plan: { [key]: file } })
    expect(status, JSON.stringify(body.errors)).toBe(200)
    const { plan, read } = body
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

  it('has a source, each of another framework or model', () => {
    expect(files.length).toBeGreaterThanOrEqual(15)
    expect(new Set(files.map(({ source }) => source)).size).toBeGreaterThanOrEqual(15)
    expect(new Set(files.map(({ key }) => key)).size).toBe(8)
  })
})
