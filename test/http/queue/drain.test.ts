import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { createLifecycle } from '../../../api/http/lifecycle.ts'
import { answeringAfter, endless } from '../planners.ts'
import { appWith, question, service } from '../service.ts'

it('while it warms up it is not ready, and answers', async () => {
  const lifecycle = createLifecycle({ warming: true })
  const agent = service({ lifecycle })
  const ready = await agent.get('/readyz')
  expect(ready.status).toBe(503)
  expect(ready.body.type).toBe('/problems/warming-up')
  expect(Number(ready.headers['retry-after'])).toBeGreaterThan(0)
  expect((await agent.post('/optimize').send(question)).status).toBe(200)
  lifecycle.warmed()
  expect((await agent.get('/readyz')).status).toBe(200)
})

describe('while draining', () => {
  it('is not ready, refuses work with Retry-After, and is still alive', async () => {
    const lifecycle = createLifecycle()
    const agent = service({ lifecycle })
    await lifecycle.drain(1000)
    const ready = await agent.get('/readyz')
    expect(ready.status).toBe(503)
    expect(ready.body.type).toBe('/problems/draining')
    const { status, headers } = await agent.post('/optimize').send(question)
    expect(status).toBe(503)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(headers.connection).toBe('close')
    expect((await agent.get('/healthz')).status).toBe(200)
  })

  it('what is being answered is answered, and the drain waits for it', async () => {
    const lifecycle = createLifecycle()
    const seen = { started: 0 }
    const slow = service({ lifecycle, search: answeringAfter(300, seen) })
      .post('/optimize')
      .send(question)
    const answered = slow.then(({ status }) => status)
    await until(() => seen.started === 1)
    await lifecycle.drain(5000)
    expect(await answered).toBe(200)
  })

  it('what takes longer than the deadline is told to try elsewhere', async () => {
    const lifecycle = createLifecycle()
    const seen = { started: 0, aborted: 0 }
    const answered = service({ lifecycle, search: endless(seen) })
      .post('/optimize')
      .send(question)
      .then(({ status, body }) => [status, body.type])
    await until(() => seen.started === 1)
    await lifecycle.drain(50)
    expect(await answered).toEqual([503, '/problems/draining'])
    expect(seen.aborted).toBe(1)
  })
})

describe('a client that leaves', () => {
  it('ends its search', async () => {
    const seen = { started: 0, aborted: 0 }
    const server = createServer(appWith({ search: endless(seen) })).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const request = httpRequest({
      port,
      method: 'POST',
      path: '/optimize',
      headers: { 'content-type': 'application/json' },
    })
    request.on('error', () => {})
    request.end(JSON.stringify(question))
    await until(() => seen.started === 1)
    request.destroy()
    await until(() => seen.aborted === 1)
    server.close()
    expect(seen).toEqual({ started: 1, aborted: 1 })
  })
})

describe('the process', () => {
  const main = fileURLToPath(new URL('../../../dist/api/main.js', import.meta.url))
  let child: ChildProcess | undefined
  afterEach(() => {
    child?.kill('SIGKILL')
  })

  const start = async (variables: Record<string, string> = {}) => {
    const started = spawn(process.execPath, [main], { env: { PORT: '0', THREADS: '1', ...variables } })
    child = started
    let output = ''
    started.stdout.on('data', (chunk) => {
      output += chunk
    })
    started.stderr.on('data', (chunk) => {
      output += chunk
    })
    return { started, output: () => output }
  }

  it.each([
    'SIGTERM',
    'SIGINT',
  ] as const)('prints a curl line, answers, and exits 0 on %s', async (signal) => {
    const { started, output } = await start({ WARM_UP: 'once' })
    await until(() => output().includes('curl -s'))
    const [, origin = ''] = /curl -s (http:\/\/127\.0\.0\.1:\d+)\/optimize/.exec(output()) ?? []
    const ready = await fetch(`${origin}/readyz`)
    expect(ready.status).toBe(200)
    started.kill(signal)
    const [code] = await once(started, 'exit')
    expect(code).toBe(0)
  })

  it('is not cut by a second signal while it answers', async () => {
    const { started, output } = await start({ DRAIN_SECONDS: '3600' })
    await until(() => output().includes('curl -s'))
    const [, origin = ''] = /curl -s (http:\/\/127\.0\.0\.1:\d+)\/optimize/.exec(output()) ?? []
    const body = { ...question, model: 'llama-3.1-405b', timeoutMs: 60_000 }
    const answered = fetch(`${origin}/optimize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    await until(async () => (await (await fetch(`${origin}/metrics`)).text()).includes('searches_running 1'))
    started.kill('SIGTERM')
    await until(() => output().includes('draining'))
    started.kill('SIGTERM')
    expect((await answered).status).toBe(200)
    const [code] = await once(started, 'exit')
    expect(code).toBe(0)
  })

  it('says which variable makes no sense, and exits 1', async () => {
    const { started, output } = await start({ PORT: 'eighty' })
    const [code] = await once(started, 'exit')
    expect(code).toBe(1)
    expect(output()).toContain('PORT')
  })
})

/** A machine may be slow: what never comes is ended by the job that runs the tests. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20))
}
