/** An answer hangs on its request alone, and on nothing that the same process was asked before: not in whichever order, nor of a cluster like it. */
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { forAll } from '../../law.ts'

type Asked = Readonly<Record<string, unknown>>

/** Answers of a process of its own, in which nothing is known yet. */
async function answered(requests: readonly Asked[]): Promise<readonly string[]> {
  vi.resetModules()
  const { optimizeRequest } = await import('../../../api/schemas/optimize.ts')
  const { validated } = await import('../../../api/validation/request-validation.ts')
  const { createFlags } = await import('../../../api/worker/errand.ts')
  const { optimize } = await import('../../../api/worker/search-worker.ts')
  return requests.map((request) => {
    const subject = validated(optimizeRequest, request)
    const reply = optimize({ subject, timeoutMs: 600_000, flags: createFlags() })
    return 'written' in reply ? new TextDecoder().decode(reply.written.start) : JSON.stringify(reply)
  })
}

const train = { mode: 'train', batchTokens: 4_194_304, sequenceLength: 8192 }
const generate = { mode: 'generate', contextLength: 4096, batchSequences: 'max' }
const prefill = { mode: 'prefill', promptLength: 4096, batchSequences: 4 }
const serve = { mode: 'serve', promptLength: 1024, outputLength: 256 }
const one = <Value>(...values: readonly Value[]) => fc.constantFrom(...values)

/** Of few models on numbers of chips that are not round, so that much of what is kept for one is asked for by another. */
const asked = fc
  .record({
    model: one('llama-3-8b', 'qwen3-30b-a3b'),
    chip: one('h100-sxm', 'h100-sxm', 'gb200-nvl72'),
    chips: one(12, 16, 20, 24, 28, 36, 44, 60, 64, 100),
    workload: one<Asked>(train, train, { ...train, batchTokens: 2_097_152 }, generate, prefill, serve),
    fsdp: one(undefined, undefined, 3, 5, 7, 9),
  })
  .map(({ chip, chips, workload, fsdp, model }): Asked => {
    const constraints = fsdp && workload.mode === 'train' ? { fsdp } : {}
    return { model, hardware: { chip, chips }, workload, constraints, top: 3 }
  })

/** Replicas of whose shards one node has an odd number, on two numbers of chips. */
const straddling = ([chips, fsdp]: readonly [number, number]): Asked => ({
  ...{ model: 'qwen3-235b-a22b', hardware: { chip: 'h100-sxm', chips }, top: 1 },
  workload: { mode: 'train', batchTokens: 4_194_304, sequenceLength: 4096 },
  constraints: { fsdp, tensor: 4, data: 1, context: 1, pipeline: 1, expert: 1 },
})

it('whatever was asked before', async () => {
  const requests = (
    [
      [384, 95],
      [640, 159],
      [1000, 249],
    ] as const
  ).map(straddling)
  forAll(24, [asked], (request) => void requests.push(request))
  const forwards = await answered(requests)
  const backwards = await answered([...requests].reverse())
  expect([...backwards].reverse()).toEqual(forwards)
  expect(forwards.filter((answer) => answer.includes('"plans":[{')).length).toBeGreaterThan(12)
})
