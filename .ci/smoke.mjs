/** The service as README starts it: on a free port it gets ready, answers a documented request, and ends with what started it. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = new URL('../', import.meta.url)
const service = spawn('npm', ['start', '--silent'], {
  cwd: fileURLToPath(root),
  env: { ...process.env, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'info' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const exited = once(service, 'exit')
process.once('exit', () => service.kill('SIGKILL'))

/** All of it has this long; a service that is killed fails what is waiting for it. */
const patience = AbortSignal.timeout(60_000)
patience.addEventListener('abort', () => service.kill('SIGKILL'))

const origin = `http://127.0.0.1:${await listeningPort()}`
service.stdout.resume()
while (!(await isReady())) await delay(50)

const file = new URL('fixtures/requests/optimize-llama-3-8b-on-64-h100.json', root)
const response = await fetch(`${origin}/optimize`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: readFileSync(file, 'utf8'),
})
const answer = await response.json()
assert.equal(response.status, 200, JSON.stringify(answer))
assert.ok(answer.plans.length > 0, 'An answer without plans')
const [{ summary, stepTimeSeconds }] = answer.plans

service.kill('SIGTERM')
const [code, signal] = await exited
assert.ok(code === 0 || signal === 'SIGTERM', 'SIGTERM must end the service with 0')
await assert.rejects(fetch(`${origin}/healthz`), 'Node must end with npm')
process.stdout.write(
  `Ready, 200, ${answer.plans.length} plans, "${summary}" with ${stepTimeSeconds} s, gone.\n`,
)

/** From the log, of which each line is JSON but the one with the curl command. */
async function listeningPort() {
  for await (const line of createInterface({ input: service.stdout })) {
    const { port } = line.startsWith('{') ? JSON.parse(line) : {}
    if (port) return port
  }
  throw new Error('The service ended before it listened')
}

async function isReady() {
  const { status } = await fetch(`${origin}/readyz`)
  return status === 200
}
