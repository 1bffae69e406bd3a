/**
 * What the Dockerfile makes, without a daemon: each stage is a folder, COPY copies and RUN runs there. Then its command has to run and its
 * health check to pass, with the files not to be written to and, where this runs as root, as a user who owns none of them. It runs on the Node
 * that there is, which may be older than the image's.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const read = (file) => readFileSync(join(root, file), 'utf8')
const instructions = read('Dockerfile')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line && !line.startsWith('#'))
const context = read('.dockerignore')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1))

const scratch = mkdtempSync(join(tmpdir(), 'image-'))
chmodSync(scratch, 0o755)
const stages = new Map()
let stage

const perform = {
  FROM(rest) {
    const [base, , name = 'last'] = rest.split(/\s+/)
    stage = { base, folder: join(scratch, name), workdir: '/', env: {} }
    stages.set(name, stage)
    mkdirSync(stage.folder)
  },
  WORKDIR(path) {
    stage.workdir = path
    mkdirSync(inside('.'), { recursive: true })
  },
  COPY(rest) {
    const [, from, paths] = /^(?:--from=(\S+)\s+)?(.*)$/.exec(rest)
    const sources = paths.split(/\s+/)
    const target = sources.pop()
    for (const source of sources) {
      if (!from)
        assert.ok(context.includes(source), `${source} is not in the build's context (.dockerignore)`)
      const path = from ? join(stages.get(from).folder, source) : join(root, source)
      const to = statSync(path).isDirectory() ? inside(target) : inside(join(target, basename(source)))
      cpSync(path, to, { recursive: true })
    }
  },
  RUN(command) {
    execFileSync('sh', ['-c', command], {
      cwd: inside('.'),
      env: { ...process.env, ...stage.env },
      stdio: 'inherit',
    })
  },
  ENV(rest) {
    Object.assign(stage.env, Object.fromEntries(rest.split(/\s+/).map((pair) => pair.split('='))))
  },
  USER(name) {
    stage.user = name
  },
  EXPOSE(port) {
    stage.port = port
  },
  HEALTHCHECK(rest) {
    stage.healthcheck = JSON.parse(rest.slice(rest.indexOf('CMD') + 3))
  },
  CMD(rest) {
    stage.command = JSON.parse(rest)
  },
}

function inside(path) {
  return join(stage.folder, path.startsWith('/') ? path : join(stage.workdir, path))
}

try {
  for (const line of instructions) {
    const [, instruction, rest] = /^(\w+)\s+(.*)$/.exec(line)
    perform[instruction](rest.trim())
  }
  const [, ofImage] = /^node:(\d+)-slim$/.exec(stage.base) ?? []
  const [oldest] = JSON.parse(read('package.json')).engines.node.match(/\d+/)
  assert.ok(
    Number(ofImage) >= Number(oldest),
    `The image has ${stage.base}, and the package asks for ${oldest}`,
  )
  assert.ok(stage.user && !/^(root|0)\b/.test(stage.user), 'The image runs as root')
  assert.equal(stage.port, stage.env.PORT, 'EXPOSE and PORT differ')
  await run()
} finally {
  execFileSync('chmod', ['-R', 'u+w', scratch])
  rmSync(scratch, { recursive: true, force: true })
}

async function run() {
  execFileSync('chmod', ['-R', 'a-w,a+rX', stage.folder])
  const nobody = process.getuid() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    TMPDIR: '/nonexistent',
    ...stage.env,
    PORT: await freePort(),
  }
  const options = { cwd: inside('.'), env, stdio: ['ignore', 'ignore', 'inherit'], ...nobody }
  const start = ([file, ...rest]) => spawn(file === 'node' ? process.execPath : file, rest, options)
  const service = start(stage.command)
  const exited = once(service, 'exit')
  process.once('exit', () => service.kill('SIGKILL'))
  AbortSignal.timeout(120_000).addEventListener('abort', () => service.kill('SIGKILL'))
  let checks = 0
  do {
    assert.equal(service.exitCode ?? service.signalCode, null, 'The service ended')
    await delay(100)
    checks++
  } while ((await once(start(stage.healthcheck), 'exit'))[0] !== 0)
  const body = read('fixtures/requests/optimize-llama-3-8b-on-64-h100.json')
  const response = await fetch(`http://127.0.0.1:${env.PORT}/optimize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const answer = await response.json()
  assert.equal(response.status, 200, JSON.stringify(answer))
  service.kill('SIGTERM')
  assert.equal((await exited)[0], 0, 'SIGTERM must end the service with 0')
  const who = 'uid' in nobody ? 'as nobody' : 'as this user'
  process.stdout.write(`Built, run ${who}, healthy at check ${checks}, ${answer.plans.length} plans, gone.\n`)
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(String(port)))
    })
  })
}
