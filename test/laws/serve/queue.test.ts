/** Waiting times, compared with closed forms, limits, and a simulation that uses no formula. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allBusy, meanWait, type Queue, utilization } from '../../../src/modes/serve/queue.ts'
import { law } from '../../law.ts'

const share = (least: number, most: number) =>
  fc.integer({ min: 0, max: 1000 }).map((thousandths) => least + ((most - least) * thousandths) / 1000)

const steady: fc.Arbitrary<Queue> = fc
  .record({
    used: share(0.01, 0.99),
    serviceSeconds: share(1e-3, 10),
    serviceVariation: share(0, 6),
    servers: fc.integer({ min: 1, max: 40 }),
  })
  .map(({ used, ...rest }) => ({ ...rest, arrivalsPerSecond: (used * rest.servers) / rest.serviceSeconds }))

/** Relative. */
function expectAlike(actual: number, expected: number, allowed = 1e-9): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(allowed * Math.abs(expected))
}

describe('the mean wait', () => {
  law('of M/M/1 is u/(1 - u) services, and of M/D/1 half of that', 100, [steady], (queue) => {
    const single = { ...queue, servers: 1, arrivalsPerSecond: queue.arrivalsPerSecond / queue.servers }
    const used = utilization(single)
    const exponential = meanWait({ ...single, serviceVariation: 1 })
    expectAlike(exponential, (used / (1 - used)) * queue.serviceSeconds)
    expectAlike(meanWait({ ...single, serviceVariation: 0 }), exponential / 2)
  })

  law(
    "of M/G/1 is Pollaczek and Khinchine's: arrivals times the second moment, over 2(1 - u)",
    100,
    [steady],
    (queue) => {
      const single = { ...queue, servers: 1, arrivalsPerSecond: queue.arrivalsPerSecond / queue.servers }
      const secondMoment = queue.serviceSeconds ** 2 * (1 + queue.serviceVariation)
      const wait = (single.arrivalsPerSecond * secondMoment) / (2 * (1 - utilization(single)))
      expectAlike(meanWait(single), wait)
    },
  )

  law('of M/M/2 is u²/(1 - u²) services', 100, [share(0.01, 0.99)], (used) => {
    const two = { arrivalsPerSecond: 2 * used, serviceSeconds: 1, serviceVariation: 1, servers: 2 }
    expectAlike(meanWait(two), used ** 2 / (1 - used ** 2))
  })

  law('grows with the rate and with the variation', 100, [steady, share(1, 1.2)], (queue, more) => {
    const faster = { ...queue, arrivalsPerSecond: queue.arrivalsPerSecond * more }
    expect(meanWait(faster)).toBeGreaterThanOrEqual(meanWait(queue))
    const uneven = { ...queue, serviceVariation: queue.serviceVariation + more - 1 }
    expect(meanWait(uneven)).toBeGreaterThanOrEqual(meanWait(queue))
  })

  law(
    'falls with servers, to nothing, and is less than that of as many queues apart',
    100,
    [steady],
    (queue) => {
      const { servers } = queue
      const apart = { ...queue, servers: 1, arrivalsPerSecond: queue.arrivalsPerSecond / servers }
      expect(meanWait({ ...queue, servers: servers + 1 })).toBeLessThan(meanWait(queue))
      expect(meanWait({ ...queue, servers: 100 * servers })).toBeLessThan(1e-12 * queue.serviceSeconds)
      expect(meanWait(queue)).toBeLessThanOrEqual(meanWait(apart) * (1 + 1e-12))
    },
  )

  law('is in services whatever the unit of time', 100, [steady, share(0.001, 1000)], (queue, k) => {
    const slower = {
      ...queue,
      serviceSeconds: queue.serviceSeconds * k,
      arrivalsPerSecond: queue.arrivalsPerSecond / k,
    }
    expectAlike(meanWait(slower), meanWait(queue) * k, 1e-6)
  })

  it('is for ever where as much work arrives as is done, or more', () => {
    const queue = { arrivalsPerSecond: 8, serviceSeconds: 0.5, serviceVariation: 0, servers: 4 }
    expect(meanWait(queue)).toBe(Number.POSITIVE_INFINITY)
    expect(meanWait({ ...queue, arrivalsPerSecond: 9 })).toBe(Number.POSITIVE_INFINITY)
    expect(meanWait({ ...queue, servers: 0 })).toBe(Number.POSITIVE_INFINITY)
    expect(meanWait({ ...queue, arrivalsPerSecond: 7.999 })).toBeGreaterThan(100)
    expect(meanWait({ ...queue, arrivalsPerSecond: 0 })).toBe(0)
  })
})

describe('that all servers are busy', () => {
  law(
    "has Erlang's probability, summed from the states of the queue",
    100,
    [fc.integer({ min: 1, max: 30 }), share(0.01, 0.99)],
    (servers, used) => {
      const load = used * servers
      let [state, fewer] = [1, 0]
      for (let busy = 0; busy < servers; busy++) {
        fewer += state
        state *= load / (busy + 1)
      }
      const all = state / (1 - used)
      expectAlike(allBusy(servers, load), all / (fewer + all))
    },
  )

  it('is a probability with thousands of servers too', () => {
    for (const servers of [1000, 10_000]) {
      const [half, nearly] = [allBusy(servers, servers / 2), allBusy(servers, servers - 1)]
      expect(half).toBeLessThan(1e-30)
      expect(nearly).toBeGreaterThan(0.9)
      expect(nearly).toBeLessThan(1)
    }
  })
})

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Simulated {
  readonly mean: number
  /** Standard error of the mean, of runs that are independent. */
  readonly error: number
}

/** Each request goes to the server that is free first; the first tenth of a run fills the queue and is not counted. */
function simulatedWait(load: number, servers: number, service: (random: () => number) => number): Simulated {
  const [runs, requests] = [40, 20_000]
  const means = Array.from({ length: runs }, (_, run) => {
    const random = randomFrom(run)
    const free = new Float64Array(servers)
    let [now, waited] = [0, 0]
    for (let request = 0; request < requests; request++) {
      now += -Math.log(1 - random()) / load
      const first = free.indexOf(Math.min(...free))
      const start = Math.max(now, free[first] ?? 0)
      free[first] = start + service(random)
      if (request >= requests / 10) waited += start - now
    }
    return waited / (0.9 * requests)
  })
  const mean = means.reduce((sum, own) => sum + own, 0) / runs
  const variance = means.reduce((sum, own) => sum + (own - mean) ** 2, 0) / (runs - 1)
  return { mean, error: Math.sqrt(variance / runs) }
}

const exponential = (random: () => number) => -Math.log(1 - random())
const constant = () => 1

describe('a simulation', () => {
  it.each([
    [1, 0.8],
    [2, 0.6],
    [4, 0.7],
    [8, 0.85],
  ])('of M/M/%i at utilisation %f waits as long, within four standard errors of some per cent', (servers, used) => {
    const load = used * servers
    const simulated = simulatedWait(load, servers, exponential)
    const wait = meanWait({ arrivalsPerSecond: load, serviceSeconds: 1, serviceVariation: 1, servers })
    expect(simulated.error).toBeLessThan(0.02 * wait)
    expect(Math.abs(simulated.mean - wait)).toBeLessThan(4 * simulated.error)
  })

  it('of M/D/1 waits as long, within four standard errors', () => {
    const simulated = simulatedWait(0.8, 1, constant)
    const wait = meanWait({ arrivalsPerSecond: 0.8, serviceSeconds: 1, serviceVariation: 0, servers: 1 })
    expect(simulated.error).toBeLessThan(0.02 * wait)
    expect(Math.abs(simulated.mean - wait)).toBeLessThan(4 * simulated.error)
  })

  it.each([
    [4, 0.7, 0.06],
    [4, 0.9, 0.02],
    [16, 0.7, 0.15],
  ])('of M/D/%i at utilisation %f waits longer by the share that is stated, %f', (servers, used, short) => {
    const load = used * servers
    const simulated = simulatedWait(load, servers, constant)
    const wait = meanWait({ arrivalsPerSecond: load, serviceSeconds: 1, serviceVariation: 0, servers })
    expect(Math.abs(1 - wait / simulated.mean - short)).toBeLessThan(0.02)
  })
})
