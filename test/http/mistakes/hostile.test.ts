import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createServer } from '../../../api/http/server.ts'
import { problemDocument } from '../../../api/schemas/problem.ts'
import { answeringAfter } from '../planners.ts'
import { planning } from '../planning.ts'
import { appWith, question, service } from '../service.ts'

const text = JSON.stringify(question)
const with_ = (extra: string) => `${text.slice(0, -1)},${extra}}`
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('a hostile body gets the error of the contract, and the service goes on', () => {
  const agent = service()

  it.each([
    ['an own key __proto__', with_('"__proto__":{"top":1}'), 400],
    ['a key constructor', with_('"constructor":{"prototype":{"top":1}}'), 400],
    ['__proto__ further in', with_('"constraints":{"__proto__":{"tensor":1}}'), 400],
    ['a number that overflows', with_('"top":1e999'), 400],
    ['a number near the largest', text.replace('4194304', '1e308'), 400],
    ['a number near the smallest', text.replace('8192', '5e-324'), 400],
    ['a negative zero', text.replace('8192', '-0'), 400],
    ['NaN as a string', text.replace('8192', '"NaN"'), 400],
    ['null for a number', text.replace('8192', 'null'), 400],
    ['an array', `[${text}]`, 400],
    ['a string', '"optimize"', 400],
    ['a number', '7', 400],
    ['null', 'null', 400],
    ['true', 'true', 400],
    ['deep nesting', with_(`"model":${nested(200_000)}`), 400],
    ['deep nesting alone', nested(500_000), 400],
    ['eighty thousand unknown keys', `{${Array.from({ length: 80_000 }, (_, k) => `"k${k}":1`)}}`, 400],
    ['a very long list', text.replace('"chips":64', `"topology":[${'1,'.repeat(300_000)}1]`), 400],
    ['a very long key', with_(`"${'x'.repeat(900_000)}":1`), 400],
    ['a very long name', text.replace('llama-3-8b', 'x'.repeat(900_000)), 400],
    ['a number and a megabyte of spaces', text.replace('64', `"1${' '.repeat(900_000)}!"`), 400],
    ['a list of nine thousand such', text.replace('64', `[${`"1${' '.repeat(97)}!",`.repeat(9000)}1]`), 400],
    ['a lone surrogate', text.replace('llama-3-8b', '\\ud800'), 422],
    ['a zero byte in a name', text.replace('llama-3-8b', 'llama\\u0000'), 422],
    ['a name of the prototype', text.replace('llama-3-8b', '__proto__'), 422],
    ['a chip named toString', text.replace('h100-sxm', 'toString'), 422],
    ['half a megabyte of spaces', `${' '.repeat(500_000)}${text}`, 200],
  ])('%s', async (_name, body, status) => {
    const response = await agent.post('/optimize').type('application/json').send(body)
    expect(response.status).toBe(status)
    if (status !== 200) {
      expect(response.headers['content-type']).toMatch(/^application\/problem\+json/)
      expect(response.body.errors.length).toBeGreaterThan(0)
      expect(response.body.errors.length).toBeLessThanOrEqual(32)
      expect(response.text.length).toBeLessThan(20_000)
    }
    expect((await agent.post('/optimize').send(question)).status).toBe(200)
    expect(({} as { top?: number }).top).toBeUndefined()
  })

  it('points at __proto__ as the unknown key that it is', async () => {
    const { body } = await agent
      .post('/optimize')
      .type('application/json')
      .send(with_('"__proto__":{"top":1}'))
    expect(body.errors).toEqual([{ pointer: '/__proto__', detail: 'is not a known key' }])
  })

  it.each([
    ['/calibrate', '{"runs":[{"__proto__":{"a":1}}]}', '/runs/0/__proto__'],
    ['/compare', '{"request":{"__proto__":{"a":1}},"variants":[{},{}]}', '/request/__proto__'],
    ['/compare', '{"request":{},"variants":[{},{"__proto__":{"a":1}}]}', '/variants/1/__proto__'],
  ])('and so in objects of %s that are read later: %s', async (path, body, pointer) => {
    const { body: told } = await agent.post(path).type('application/json').send(body)
    expect(told.errors).toEqual([{ pointer, detail: 'is not a known key' }])
  })

  it('refuses bytes that are no UTF-8, and takes what is', async () => {
    const sent = (body: Buffer, encoded: Readonly<Record<string, string>> = {}) =>
      agent
        .post('/optimize')
        .set({ 'content-type': 'application/json', ...encoded })
        .serialize((one) => one as unknown as string)
        .send(body)
    const named = (name: Buffer) => {
      const [before = '', after = ''] = text.split('llama-3-8b')
      return Buffer.concat([Buffer.from(before), name, Buffer.from(after)])
    }
    const broken = named(Buffer.from([0x61, 0xff, 0x62]))
    for (const { status, body } of [
      await sent(broken),
      await sent(gzipSync(broken), { 'content-encoding': 'gzip' }),
    ]) {
      expect([status, body.type, body.errors]).toEqual([
        400,
        '/problems/malformed-json',
        [{ pointer: '', detail: 'is not UTF-8' }],
      ])
    }
    expect((await sent(named(Buffer.from('é')))).status).toBe(422)
  })

  it('refuses 10 MB before reading them', async () => {
    const { status } = await agent
      .post('/optimize')
      .type('application/json')
      .send(`{"model":"${'x'.repeat(1e7)}"}`)
    expect(status).toBe(413)
  })

  it('refuses a small body that unpacks to a large one', async () => {
    const bomb = gzipSync(`{"model":"${'x'.repeat(1e7)}"}`)
    const request = agent.post('/optimize').set({
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    })
    request.write(bomb)
    expect((await request).status).toBe(413)
  })

  it.each([
    ['gzip', Buffer.from(text)],
    ['gzip', gzipSync(text).subarray(0, -12)],
    ['br', Buffer.from(text)],
    ['deflate', Buffer.from(text)],
  ])('says of what is said to be %s and is not that it is not', async (encoding, body) => {
    const request = agent
      .post('/optimize')
      .set({ 'content-type': 'application/json', 'content-encoding': encoding })
    request.write(body)
    const { status, body: problem } = await request
    expect(status).toBe(400)
    expect(problem.type).toBe('/problems/malformed-json')
    expect(problem.errors[0].detail).toContain(encoding)
  })

  it('takes a chip whose torus has no end for what it is', async () => {
    const chip = {
      name: 'endless',
      kind: 'tpu',
      peakFlopsPerSecond: { bf16: 1e15 },
      hbmBytes: 1e11,
      hbmBytesPerSecond: 1e12,
      hostBytesPerSecond: 1e10,
      efficiency: { matmul: 1, matmulHalfFlops: 0, attention: 1, hbm: 1, scaleUp: 1, scaleOut: 1 },
      system: {
        kind: 'torus',
        linkBytesPerSecond: 1e11,
        hopSeconds: 1e-6,
        wrap: { kind: 'size', size: 4096 },
        pod: [4096, 4096, 4096, 4096],
        host: [1, 1, 1, 1],
        dcnBytesPerSecondPerChip: 1e9,
        dcnLatencySeconds: 1e-5,
      },
    }
    for (const chips of [999_983, 720_720, 1_000_000]) {
      const { status } = await agent.post('/optimize').send({ ...question, hardware: { chip, chips } })
      expect([200, 422]).toContain(status)
    }
  })
})

describe('a word that every object has, such as constructor, is one as others are', () => {
  const agent = service({ search: planning })
  const training = { mode: 'train', batchSequences: 64, sequenceLength: 4096 }
  const generation = { mode: 'generate', batchSequences: 8, contextLength: 2048 }
  const hardware = { chip: 'h100-sxm', chips: 8 }

  it.each([
    [
      'quantisation of vLLM',
      generation,
      { vllm: 'vllm serve deepseek-ai/DeepSeek-V3 -tp 8 --quantization WORD' },
    ],
    [
      'quantisation of SGLang',
      generation,
      {
        sglang:
          'python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp 8 --quantization WORD',
      },
    ],
    [
      'type of a performance script',
      training,
      { megatronBridge: 'python run_script.py -m llama3 -mr 8b -ng 8 -c WORD' },
    ],
    [
      'key of Megatron Bridge',
      training,
      { megatronBridge: 'torchrun --nproc-per-node 8 run_recipe.py --recipe llama3_8b WORD=1' },
    ],
    ['policy of MaxText', training, { maxtext: 'python3 -m MaxText.train a.yml remat_policy=WORD' }],
    [
      'sign of a test',
      training,
      { megatron: 'if [ a WORD b ]; then A=1; fi\ntorchrun pretrain_gpt.py --num-layers $A' },
    ],
    [
      'chip of a task',
      generation,
      { vllm: 'resources:\n  accelerators: {"WORD": 8}\nrun: |\n  vllm serve a/b\n' },
    ],
  ])('as the %s', async (_what, workload, plan) => {
    for (const word of ['constructor', '__proto__', 'toString']) {
      const [[key = '', file = ''] = []] = Object.entries(plan)
      const asked = { workload, plan: { [key]: file.replaceAll('WORD', word) } }
      const known = key === 'maxtext' ? { ...asked, model: 'llama-3-8b' } : asked
      const { status, text: answer } = await agent
        .post('/evaluate')
        .send(file.includes('accelerators') ? { ...known, model: 'llama-3-8b' } : { ...known, hardware })
      expect(status, answer).toBeLessThan(500)
      expect(answer).not.toContain('native code')
    }
  })
})

describe('on the wire', () => {
  const server = createServer(appWith({ search: answeringAfter(500) }), {
    ...{ headersMs: 100, requestMs: 200, keepAliveMs: 75_000, unreadMs: 100 },
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve())))
  afterAll(() => server.close())

  const raw = (lines: string, { ends = true } = {}) =>
    new Promise<string>((resolve, reject) => {
      const { port } = server.address() as AddressInfo
      const socket = connect(port, '127.0.0.1', () => (ends ? socket.end(lines) : socket.write(lines)))
      let answer = ''
      socket.on('data', (chunk) => {
        answer += chunk
      })
      socket.on('close', () => resolve(answer))
      socket.on('error', reject)
    })

  it('a connection is kept between requests for longer than proxies keep theirs', async () => {
    const answers = await raw(
      'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
    )
    expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(2)
    expect(answers).toMatch(/keep-alive: timeout=75/i)
  })

  it('a body without a type is a 415', async () => {
    const answer = await raw(
      'POST /optimize HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 415 /)
    expect(answer).toContain('application/problem+json')
  })

  it('no body and no type is a 400', async () => {
    const answer = await raw('POST /optimize HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('/problems/malformed-json')
  })

  it('a body that is shorter than it says does not stop the service', async () => {
    await raw(
      'POST /optimize HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{}',
    )
    const answer = await raw('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('a body that is too large is refused, and its connection closed', async () => {
    const answer = await raw(
      `POST /optimize HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9999999\r\n\r\n{`,
      { ends: false },
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer.toLowerCase()).toContain('connection: close')
  })

  it('so is one in chunks, as soon as it is too large', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const answer = await raw(
      `POST /optimize HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(17)}`,
      { ends: false },
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer.toLowerCase()).toContain('connection: close')
  })

  it.each([
    ['headers', 'POST /optimize HTTP/1.1\r\nhost: x\r\n'],
    [
      'a body',
      'POST /optimize HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
    ],
  ])('who sends half of %s is not waited for', async (_what, half) => {
    expectProblem(await raw(half, { ends: false }), 408)
  })

  it('who takes nothing of the answers is not waited for', async () => {
    const closed = new Promise((resolve) => server.once('connection', (it) => it.once('close', resolve)))
    const { port } = server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    socket.pause()
    // More than the system takes off the hands of the service.
    socket.write('GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(60))
    await closed
    socket.destroy()
  })

  it('a search that takes longer than that is answered', async () => {
    const answer = await raw(
      `POST /optimize HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
      { ends: false },
    )
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  it.each([
    ['what is no HTTP', 'hello\r\n\r\n', 400],
    ['a method that there is none of', 'FROB /optimize HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['a length below nothing', 'POST /optimize HTTP/1.1\r\nhost: x\r\ncontent-length: -5\r\n\r\n', 400],
    ['seventy thousand letters of a header', `GET / HTTP/1.1\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`, 431],
    ['what is far from read when that is known', `GET / HTTP/1.1\r\nx: ${'x'.repeat(3e6)}\r\n\r\n`, 431],
  ])('%s is refused, with a problem as everywhere', async (_what, lines, status) => {
    expectProblem(await raw(lines, { ends: false }), status)
  })

  it('who keeps on sending what is no request is not listened to', async () => {
    const closed = new Promise((resolve) => server.once('connection', (it) => it.once('close', resolve)))
    const { port } = server.address() as AddressInfo
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    const sending = setInterval(() => socket.write('hello\r\n\r\n'), 20)
    await closed
    clearInterval(sending)
    socket.destroy()
  })

  function expectProblem(answer: string, status: number): void {
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\nConnection: close`))
    expect(head).toContain('Content-Type: application/problem+json')
    const problem = problemDocument.parse(JSON.parse(body))
    expect(problem.status).toBe(status)
    expect(problem.type).toMatch(/^\/problems\/(too-slow|headers-too-long|not-http)$/)
    expect(head).toContain(`X-Request-Id: ${problem.instance}`)
  }
})
