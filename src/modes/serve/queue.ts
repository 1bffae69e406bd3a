/**
 * Mean time that a request waits before one of c equal servers takes it; Poisson arrivals, first come first served.
 *
 *   u = λ·s/c                                 utilisation; at 1 or above the queue grows without end
 *   W = (1 + v)/2 · C(c, λ·s) · s / (c·(1 - u))
 *
 * λ is arrivals per second, s the mean service time, v its squared coefficient of variation (0 if constant, 1 if
 * exponential). C is Erlang's: the probability that all c are busy, with C(1, u) = u.
 *
 *   c = 1        exact for any v: Pollaczek and Khinchine's formula
 *   v = 1        exact for any c: M/M/c
 *   otherwise    Allen and Cunneen's approximation, exact as u nears 1: below that, too short for constant service
 *                (against simulations by 6 % with 4 servers at u = 0.7 and by 15 % with 16, for waits of 0.2 s and 0.02
 *                s), and too long for service that varies more than exponentially
 *
 * Sources: Allen, "Probability, Statistics, and Queueing Theory" (1978); Erlang (1917). C is computed from Erlang's
 * loss formula by its recurrence in c, which neither overflows nor cancels.
 */
import type { Seconds } from '../../units.ts'

export interface Queue {
  readonly arrivalsPerSecond: number
  readonly serviceSeconds: Seconds
  /** Squared coefficient of variation of the service time. */
  readonly serviceVariation: number
  readonly servers: number
}

export function utilization({ arrivalsPerSecond, serviceSeconds, servers }: Queue): number {
  return (arrivalsPerSecond * serviceSeconds) / servers
}

/** Infinity if the servers cannot keep up. */
export function meanWait(queue: Queue): Seconds {
  const { arrivalsPerSecond, serviceSeconds, serviceVariation, servers } = queue
  const used = utilization(queue)
  if (!(used < 1)) return Number.POSITIVE_INFINITY
  const busy = allBusy(servers, arrivalsPerSecond * serviceSeconds)
  return (((1 + serviceVariation) / 2) * busy * serviceSeconds) / (servers * (1 - used))
}

/** Erlang's C: the probability that an arrival finds all servers busy, for an offered load of `load` servers. */
export function allBusy(servers: number, load: number): number {
  let lost = 1
  for (let c = 1; c <= servers; c++) lost = (load * lost) / (c + load * lost)
  return lost / (1 - (load / servers) * (1 - lost))
}
