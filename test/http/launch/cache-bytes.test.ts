/** Memory that vLLM is told for caches alone is all that they have: no more sequences, and no longer requests, than it has room for. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })
const serving = { mode: 'serve', promptLength: 2048, outputLength: 256 }
/** Caches of Qwen3-32B take 131072 bytes of each of two GPUs for a position. */
const command = (options: string) => `vllm serve Qwen/Qwen3-32B --tensor-parallel-size 2 ${options}`

async function checked(options: string, workload: object = serving) {
  const { body } = await agent
    .post('/validate')
    .send({ hardware: { chip: 'h100-sxm', chips: 2 }, workload, plan: { vllm: command(options) } })
  const check = (wanted: string) => body.checks?.find(({ name }: { name: string }) => name === wanted)
  return { body, fits: check('fits'), launchable: check('launchableBy') }
}

describe('--kv-cache-memory-bytes', () => {
  it.each([
    '1G',
    '1073741824',
  ])('%s has room for 8192 positions, and for no longer requests', async (bytes) => {
    const { launchable } = await checked(`--max-model-len 32768 --kv-cache-memory-bytes ${bytes}`)
    expect(launchable).toMatchObject({ ok: false })
    expect(launchable.message).toContain('there is room for 8192 positions, and --max-model-len is 32768')
    expect(launchable.nearest[0].changes).toMatchObject([{ value: 8192 }])
  })

  it('starts with just as much as its longest request takes, and not with a page less', async () => {
    const length = '--max-model-len 8192 --kv-cache-memory-bytes'
    expect((await checked(`${length} 1G`)).launchable).toMatchObject({ ok: true })
    expect((await checked(`${length} 1071644672`)).launchable).toMatchObject({ ok: false })
  })

  it('holds as many sequences as it has room for, whatever share of the GPU is said beside it', async () => {
    const room = async (options: string) =>
      (await checked(`--max-model-len 4096 ${options}`)).body.plan.roomSequences
    const alone = await room('--kv-cache-memory-bytes 4G')
    expect(alone).toBeLessThan(16)
    expect(await room('--kv-cache-memory-bytes 4G --gpu-memory-utilization 0.5')).toBe(alone)
    expect(await room('--kv-cache-memory-bytes 8G')).toBeGreaterThan(1.8 * alone)
  })

  it('is too much where weights leave no room for it, and too little below one sequence', async () => {
    for (const workload of [serving, { mode: 'generate', contextLength: 2048 }]) {
      const { fits } = await checked('--max-model-len 4096 --kv-cache-memory-bytes 60G', workload)
      expect(fits).toMatchObject({ ok: false, pointer: expect.stringMatching(/cacheShare$/) })
      expect(fits.message).toContain('64.4 GB of caches beside 32.8 GB of weights')
      expect(fits.nearest[0]).toMatchObject({ inFile: { set: ['--kv-cache-memory-bytes 34359738368'] } })
    }
    const { fits } = await checked('--max-model-len 4096 --kv-cache-memory-bytes 100M')
    expect(fits).toMatchObject({ ok: false })
    expect(fits.nearest[0].inFile.set).toEqual(['--kv-cache-memory-bytes 1073741824'])
  })

  it('that is no number is a fault', async () => {
    const { body } = await checked('--kv-cache-memory-bytes lots')
    expect(body).toMatchObject({ status: 422, errors: [{ pointer: '/plan/vllm' }] })
  })
})

it('blocks of caches are not counted, and no check passes for them', async () => {
  const { body } = await checked('--max-model-len 32768 --num-gpu-blocks-override 100')
  expect(body.type).toMatch(/not-offered$/)
  expect(body.errors[0].detail).toContain('--num-gpu-blocks-override 100 is not counted')
})
