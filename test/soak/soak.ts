/**
 * Puts the service under arbitrary requests for minutes or hours: `npm run soak -- [minutes] [--seed n] [--deadline
 * ms]`. Failures are counted and reported with the seed and number to repeat them, and lead to exit code 1. Durations
 * are reported, but left to the reader to judge.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import fc from 'fast-check'
import { type Heard, send } from './client.ts'
import { startInProcess } from './in-process.ts'
import { broken } from './laws.ts'
import { arbitraryRequest, type Sent } from './requests.ts'
import { keys, type Service, startService } from './service.ts'

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' }, deadline: { type: 'string' } },
  allowPositionals: true,
})
const minutes = Number(positionals[0] ?? 2)
const seed = Number(values.seed ?? Math.trunc(Math.random() * 2 ** 31))
/** The longest of random requests: short ones get through more of what is asked about, and less of each search. */
const timeoutMs = Number(values.deadline ?? 1000)

const wrong = new Map<string, { count: number; readonly example: string }>()
const statuses = new Map<string, number>()
/** Of searches in the thread of the soak, which nothing ends, and of those in the service. */
const overruns = { inside: [{ ms: 0, name: '' }], service: [{ ms: 0, name: '' }] }
let where: keyof typeof overruns = 'inside'

function fault(what: string, example: string): void {
  const known = wrong.get(what)
  if (known) known.count++
  else {
    wrong.set(what, { count: 1, example })
    print(`WRONG  ${what}\n       ${example.slice(0, 2000)}`)
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Without end, a batch of a seed after the other, so that any of them can be made again. */
function* requests(): Generator<Sent & { readonly name: string }> {
  const arbitrary = arbitraryRequest({ timeoutMs })
  for (let batch = 0; ; batch++) {
    const sample = fc.sample(arbitrary, { seed: seed + batch, numRuns: 100 })
    for (const [index, sent] of sample.entries())
      yield { ...sent, name: `seed ${seed + batch}, number ${index}` }
  }
}

/** One whose body is too large is answered and cut off, while it still sends. */
const mayBeCut = ({ body = '' }: Sent) => body.length > 1024 * 1024

async function fuzz(origin: string, source: Iterator<Sent & { readonly name: string }>, until: number) {
  while (performance.now() < until) {
    const { value: sent } = source.next()
    const heard = await send(origin, sent, keys.fuzz)
    const told = `${sent.name}: ${sent.method} ${sent.path} ${JSON.stringify(sent.headers)} ${sent.body ?? ''}`
    if (typeof heard === 'string') {
      if (!mayBeCut(sent)) fault(`no answer: ${heard}`, told)
      continue
    }
    const kind = `${sent.kind} ${heard.status}`
    statuses.set(kind, (statuses.get(kind) ?? 0) + 1)
    for (const law of broken(sent, heard))
      fault(law.replaceAll(/\d+(\.\d+)?(e[+-]?\d+)?/g, '#'), `${law}; ${told}`)
    const took = /search;dur=([\d.]+)/.exec(String(heard.headers['server-timing']))?.[1]
    const asked = (sent.value as { readonly timeoutMs?: unknown } | undefined)?.timeoutMs
    if (took !== undefined && typeof asked === 'number')
      overruns[where].push({ ms: Number(took) - asked, name: sent.name })
    if (heard.status === 200 && heard.headers['cache-control'] !== 'no-store' && Math.random() < 0.05) {
      await again(origin, sent, heard, told)
    }
  }
}

/** A whole answer is the answer, however often it is asked for. */
async function again(origin: string, sent: Sent, first: Heard, told: string): Promise<void> {
  const second = await send(origin, sent, keys.fuzz)
  if (typeof second === 'string' || second.status !== 200) return
  if (second.headers['cache-control'] === 'no-store') return
  if (!isDeepStrictEqual(timeless(first.body), timeless(second.body)))
    fault('two answers to one request', told)
}

function timeless(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('search' in body)) return body
  return { ...body, search: { ...(body.search as object), elapsedMs: 0, waitedMs: 0 } }
}

/** Asks until it is told to stop; each answer has to be a 200. */
async function probe(origin: string, over: () => boolean): Promise<readonly number[]> {
  const times: number[] = []
  while (!over()) {
    const heard = await send(
      origin,
      { kind: 'valid', method: 'GET', path: '/healthz', headers: {} },
      keys.light,
    )
    if (typeof heard === 'string' || heard.status !== 200) fault('a probe failed', JSON.stringify(heard))
    else times.push(heard.tookMs)
    await delay(50)
  }
  return times
}

async function residentMb(origin: string): Promise<number> {
  const heard = await send(
    origin,
    { kind: 'valid', method: 'GET', path: '/metrics', headers: {} },
    keys.light,
  )
  const text = typeof heard === 'string' ? '' : String(heard.body)
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 1e6
}

let unlike = 0

/** No two are the same, so that each is a search of its own. */
function question(chips: number, timeoutMs: number): Sent {
  const value = {
    model: 'llama-3-70b',
    hardware: { chip: 'h100-sxm', chips },
    workload: { mode: 'train', batchTokens: 8192 * (512 + unlike++), sequenceLength: 8192 },
    top: 1,
    timeoutMs,
  }
  const headers = { 'content-type': 'application/json' }
  return { kind: 'valid', method: 'POST', path: '/optimize', headers, body: JSON.stringify(value), value }
}

/** A plan of one's own, costed. */
function light(): Sent {
  const { value, ...rest } = question(16, 10_000)
  const { top: _, ...asked } = value as Record<string, unknown>
  const trial = { ...asked, model: 'llama-3-8b', plan: { mesh: { fsdp: 16 } } }
  return { ...rest, path: '/evaluate', body: JSON.stringify(trial), value: trial }
}

async function crowd(origin: string, until: number) {
  const over = () => performance.now() >= until
  const heavy = { answered: 0, refused: 0 }
  const times: number[] = []
  const waits: number[] = []
  const heavies = Array.from({ length: 40 }, async () => {
    while (!over()) {
      const heard = await send(origin, question(4096, 2000), keys.heavy)
      if (typeof heard === 'string') fault(`no answer to a heavy client: ${heard}`, '')
      else if (heard.status === 200) heavy.answered++
      else if ([429, 503, 504].includes(heard.status)) {
        heavy.refused++
        await delay(Math.min(1000, Number(heard.headers['retry-after'] ?? 1) * 1000))
      } else fault(`a heavy client is answered ${heard.status}`, JSON.stringify(heard.body))
    }
  })
  const lightly = async () => {
    while (!over()) {
      const heard = await send(origin, light(), keys.light)
      if (typeof heard === 'string' || heard.status !== 200)
        fault('a light client is refused', JSON.stringify(heard))
      else {
        times.push(heard.tookMs)
        waits.push(Number(/wait;dur=([\d.]+)/.exec(String(heard.headers['server-timing']))?.[1]))
      }
      await delay(100)
    }
  }
  const [probes] = await Promise.all([probe(origin, over), lightly(), ...heavies])
  return { heavy, light: times, waits, probes }
}

/** All that had begun is answered whole, and the process ends by itself. */
async function terminated(service: Service) {
  const begun = Array.from({ length: 8 }, () => send(service.origin, question(1024, 3000), keys.fuzz))
  begun.push(...Array.from({ length: 4 }, () => send(service.origin, light(), keys.light)))
  await delay(500)
  service.process.kill('SIGTERM')
  const heard = await Promise.all(begun)
  for (const each of heard) {
    if (typeof each === 'string') fault(`an answer was lost at the end: ${each}`, '')
    else if (![200, 504].includes(each.status))
      fault(`an answer at the end is ${each.status}`, JSON.stringify(each.body))
  }
  const how = await service.ended
  if (how !== 0) fault(`SIGTERM ended the service with ${how}`, '')
  return heard.length
}

function quantiles(times: readonly number[]): string {
  const sorted = [...times].sort((one, other) => one - other)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]?.toFixed(0)
  return `${sorted.length} times, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`
}

print(`soak of ${minutes} minutes, seed ${seed}`)
const start = performance.now()
const share = (part: number) => start + part * minutes * 60_000
const source = requests()

const inside = await startInProcess()
await fuzz(inside.origin, source, share(0.25))
inside.server.close()
inside.server.closeAllConnections()
const total = () => [...statuses.values()].reduce((all, count) => all + count, 0)
print(`in process: ${total()} requests`)

where = 'service'
const service = await startService()
const until = share(0.75)
const resident: number[] = []
const watched = (async () => {
  while (performance.now() < until) {
    resident.push(await residentMb(service.origin))
    await delay(1000)
  }
})()
const probes = probe(service.origin, () => performance.now() >= until)
await Promise.all([watched, ...Array.from({ length: 4 }, () => fuzz(service.origin, source, until))])
print(`in all: ${total()} requests; probes beside them: ${quantiles(await probes)}`)
const third = Math.ceil(resident.length / 3)
const median = (list: readonly number[]) => [...list].sort((one, other) => one - other)[list.length >> 1] ?? 0
const [earlier, later] = [median(resident.slice(third, 2 * third)), median(resident.slice(-third))]
print(`resident memory: ${earlier.toFixed(0)} MB in the second third, ${later.toFixed(0)} MB in the last`)
// Heaps take minutes to reach the size at which they are swept.
if (minutes >= 30 && later > 1.2 * earlier) fault('resident memory grows', `${earlier} to ${later} MB`)

const {
  heavy,
  light: lightTimes,
  waits,
  probes: besideThem,
} = await crowd(service.origin, Math.max(share(1), performance.now() + 10_000))
print(`40 heavy clients: ${heavy.answered} answered, ${heavy.refused} told to wait`)
print(`a light client beside them: ${quantiles(lightTimes)}`)
print(`its waits for a thread: ${quantiles(waits)}`)
print(`probes beside them: ${quantiles(besideThem)}`)
if (lightTimes.length === 0) fault('a light client had no answer beside heavy ones', '')

print(`SIGTERM: all of ${await terminated(service)} that had begun are accounted for`)
for (const line of service.errors) if (line.startsWith('{')) fault('the service logged an error', line)

for (const [place, all] of Object.entries(overruns)) {
  const [worst] = all.sort((one, other) => other.ms - one.ms)
  const late = all.filter(({ ms }) => ms > 500).length
  const where = place === 'inside' ? 'in the thread of the soak' : 'in the service'
  print(
    `past their deadline, ${where}: ${late} of ${all.length - 1} more than 500 ms, at most ${worst?.ms.toFixed(0)} (${worst?.name})`,
  )
}
print(
  [...statuses]
    .sort()
    .map(([kind, count]) => `${kind}: ${count}`)
    .join(', '),
)
for (const [what, { count }] of wrong) print(`WRONG  ${count} times: ${what}`)
print(wrong.size === 0 ? 'nothing is wrong' : `${wrong.size} things are wrong`)
process.exitCode = wrong.size === 0 ? 0 : 1
