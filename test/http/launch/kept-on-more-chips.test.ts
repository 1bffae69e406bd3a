/** A server that is told of more chips is told as many as it starts on, with what it keeps there, for the requests that it takes. */
import { expect, it } from 'vitest'
import { changed } from '../../../api/hints/change.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

type Changes = Parameters<typeof changed>[1]

async function validated(body: object) {
  const response = await agent.post('/validate').send(body)
  expect(response.status, response.text.slice(0, 400)).toBe(200)
  return response.body
}

const started = (workload: object, chips: number, options: string) => ({
  ...{ hardware: { chip: 'h100-sxm', chips }, workload },
  plan: { vllm: `vllm serve meta-llama/Llama-3.3-70B-Instruct ${options}` },
})

const nearestIn = (answer: { checks: { nearest?: { detail: string; changes: Changes }[] }[] }) =>
  answer.checks.flatMap(({ nearest = [] }) => nearest)

const setAt = (changes: Changes, end: string) => changes.find(({ pointer }) => pointer.endsWith(end))?.value

it('of both phases', async () => {
  const workload = { mode: 'serve', promptLength: 1024, outputLength: 512 }
  const alone = await validated(started(workload, 1, '--tensor-parallel-size 1 --max-model-len 8192'))
  const [more] = nearestIn(alone).filter(({ detail }) => detail.includes('chips are enough'))
  const chips = Number(setAt(more?.changes ?? [], '/hardware/chips'))
  expect(chips).toBeGreaterThan(1)
  const { read } = changed(alone, more?.changes ?? []) as typeof alone
  expect((await validated(read.request)).ok).toBe(true)
  const { tensor } = read.request.plan.generate.mesh
  const command = `--tensor-parallel-size ${tensor} --max-model-len 8192`
  const again = await validated(started(workload, chips, command))
  expect(again.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([])
  const kept = again.read.request.plan.cacheShare.keptBytes
  expect(Math.abs(read.request.plan.cacheShare.keptBytes - kept)).toBeLessThanOrEqual(2)
})

it('of generation, whose mesh is made wider', async () => {
  const workload = { mode: 'generate', batchSequences: 4, contextLength: 8192 }
  const alone = await validated(started(workload, 4, '--tensor-parallel-size 1'))
  const [wider] = nearestIn(alone).filter(({ detail }) => detail.startsWith('another mesh'))
  const { read } = changed(alone, wider?.changes ?? []) as typeof alone
  const { tensor, pipeline } = read.request.plan.mesh
  expect(tensor * pipeline).toBeGreaterThan(1)
  expect((await validated(read.request)).ok).toBe(true)
  const command = `--tensor-parallel-size ${tensor} --pipeline-parallel-size ${pipeline}`
  const again = await validated(started(workload, 4, command))
  const { keptBytes } = read.request.plan.cacheShare
  const alike = again.read.request.plan.cacheShare.keptBytes
  // Of a phase the tokens of a step are not said, of which more ranks hold less each, as stages do of graphs.
  expect(keptBytes).toBeGreaterThanOrEqual(alike - 2)
  expect(again.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([])
})
