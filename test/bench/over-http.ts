/**
 * What a client waits for: wall time of answers of the built service, which has its searches in threads and keeps no
 * answer. Each question is put to a service of its own, so that its first answer is the first of a process.
 */
import { send } from '../soak/client.ts'
import { keys, startService } from '../soak/service.ts'
import { bodyNamed, bodyOfTurn } from './questions.ts'
import { summed } from './stopwatch.ts'

const runs = 20

export function overHttpRow(name: string) {
  return answered(name, () => bodyNamed(name))
}

export function slidingRow(name: string) {
  return answered(name, (turn) => bodyOfTurn(name, turn))
}

async function answered(name: string, bodyOf: (turn: number) => object) {
  const service = await startService({ KEPT_ANSWERS_MB: '0' })
  await service.ready()
  const headers = { 'content-type': 'application/json' }
  const times: number[] = []
  for (let turn = 0; turn <= runs; turn++) {
    const body = JSON.stringify(bodyOf(turn))
    const heard = await send(
      service.origin,
      { kind: 'valid', method: 'POST', path: '/optimize', headers, body },
      keys.light,
    )
    if (typeof heard === 'string' || heard.status !== 200)
      throw new Error(`${name} is not answered: ${typeof heard === 'string' ? heard : heard.status}`)
    times.push(heard.tookMs)
  }
  service.process.kill('SIGTERM')
  await service.ended
  const [first = Number.NaN, ...warm] = times
  const { median, least, most } = summed(warm)
  return { question: name, 'first ms': first, 'median ms': median, least, most }
}
