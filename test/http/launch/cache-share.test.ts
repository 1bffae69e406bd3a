/** What a server's command gives its caches is kept, and used: no more, and not a hundredth of the chip less. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../runs.ts'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })
const hardware = { chip: 'h100-sxm', chips: 4 }

const servers = {
  sglang: (share: number) =>
    `python3 -m sglang.launch_server --model-path meta-llama/Llama-3.1-8B --tp 4 --mem-fraction-static ${share}`,
  tensorrtLlm: (share: number) =>
    `trtllm-serve meta-llama/Llama-3.1-8B --tp_size 4 --kv_cache_free_gpu_memory_fraction ${share}`,
}

async function evaluated(plan: object, workload: object) {
  const { status, body, text } = await agent.post('/evaluate').send({ hardware, workload, plan })
  expect(status, text.slice(0, 400)).toBe(200)
  return body
}

describe.each(Object.entries(servers))('the share of %s', (key, command) => {
  it('holds for as many sequences as fit', async () => {
    const length = fc.constantFrom(1000, 5000, 30_000)
    const check = fc.asyncProperty(
      fc.integer({ min: 30, max: 85 }),
      length,
      async (hundredths, contextLength) => {
        const share = hundredths / 100
        const workload = { mode: 'generate', contextLength }
        const { plan, read, hardware: machine } = await evaluated({ [key]: command(share) }, workload)
        const { parameters, kvCache, workspace } = plan.memoryBytes
        const all = machine.chip.hbmBytes
        // SGLang's is of what is free once NCCL is up, which keeps 2 GiB of a chip beside others.
        const [taken, given] =
          key === 'sglang'
            ? [parameters + kvCache, share * all - 2 * 2 ** 30]
            : [kvCache, share * (all - parameters - workspace)]
        expect(taken).toBeLessThanOrEqual(given + 0.001 * all)
        expect(taken).toBeGreaterThan(given - 0.01 * all)
        const { hardware: _, ...rest } = read.request
        const again = await agent.post('/evaluate').send({ hardware, ...rest })
        expect(again.body.plan).toEqual(plan)
      },
    )
    await fc.assert(check, { numRuns: runs(3) })
  })

  it('that is too small for the sequences that are asked for fails, and a larger one does not', async () => {
    const workload = { mode: 'generate', contextLength: 8192, batchSequences: 128 }
    const [small, large] = [0.15, 0.8]
    expect((await evaluated({ [key]: command(small) }, workload)).plan.feasible).toBe(false)
    expect((await evaluated({ [key]: command(large) }, workload)).plan.feasible).toBe(true)
  })
})
