/** Prompts that are longer than a server's step are read in chunks of it, whichever option says so, or none does. */
import { describe, expect, it } from 'vitest'
import { planning } from '../planning.ts'
import { service } from '../service.ts'

const agent = service({ search: planning })

const workload = { mode: 'prefill', promptLength: 32_768, batchSequences: 1 }
const hardware = { chip: 'h100', chips: 4 }
const release = 'RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic'

const files = (tokens?: number) => {
  const option = (name: string) => (tokens === undefined ? '' : ` ${name} ${tokens}`)
  return {
    vllm: `vllm serve ${release} --tensor-parallel-size 4 --max-model-len 33024 --max-num-seqs 4${option('--max-num-batched-tokens')}`,
    sglang: `python3 -m sglang.launch_server --model-path ${release} --tp-size 4 --context-length 33024${option('--chunked-prefill-size')}`,
    tensorrtLlm: `trtllm-serve ${release} --tp_size 4 --max_seq_len 33024 --enable_chunked_prefill${option('--max_num_tokens')}`,
  }
}

async function evaluated(plan: object, own: object = {}) {
  const asked = { hardware, workload: { ...workload, ...own }, plan }
  const { status, body } = await agent.post('/evaluate').send(asked)
  return { status, body, seconds: body.plan?.stepTimeSeconds, read: body.read }
}

describe.each(
  Object.keys(files()) as readonly (keyof ReturnType<typeof files>)[],
)('a file for %s', (name) => {
  const of = async (tokens?: number, own?: object) => {
    const { [name]: file } = files(tokens)
    return evaluated({ [name]: file }, own)
  }

  it('costs chunks of its step, as a request that says them does', async () => {
    const [few, many, whole] = await Promise.all([of(256), of(8192), of(32_768)])
    expect(few.seconds).toBeGreaterThan(many.seconds)
    expect(many.seconds).toBeGreaterThan(whole.seconds)
    expect(few.read.request.workload.chunkTokens).toBe(256)
    expect(few.read.ignored.join()).not.toContain('256')
    const said = await of(32_768, { chunkTokens: 256 })
    expect(whole.read.request.workload.chunkTokens).toBeUndefined()
    expect(said.seconds).toBe(few.seconds)
  })

  it('has the server’s own step where it says none, which a request may say', async () => {
    const { seconds, read } = await of()
    expect(read.request.workload.chunkTokens).toBe(8192)
    expect(read.notes.join()).toContain('8192 tokens in a step')
    expect(seconds).toBe((await of(8192)).seconds)
    expect((await of(undefined, { chunkTokens: 4096 })).read.request.workload.chunkTokens).toBe(4096)
    const short = await of(undefined, { promptLength: 4096 })
    expect(short.read.request.workload.chunkTokens).toBeUndefined()
  })

  it('contradicts a request that says other chunks, and none that is cut into as many', async () => {
    const other = await of(256, { chunkTokens: 512 })
    expect([other.status, other.body.errors]).toMatchObject([422, [{ pointer: '/workload/chunkTokens' }]])
    expect((await of(11_008, { chunkTokens: 10_923 })).status).toBe(200)
  })

  it('shares its step out among the prompts that it reads together', async () => {
    const { read } = await of(8192, { batchSequences: 4 })
    expect(read.request.workload.chunkTokens).toBe(2048)
  })
})
