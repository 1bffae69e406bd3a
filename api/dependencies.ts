/** What the app is made of: the composition root hands it in, a test hands in its own. */
import type { Logger } from 'pino'
import type { Catalogue } from './catalogue.ts'
import type { Example } from './examples.ts'
import type { Lifecycle } from './http/lifecycle.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Search } from './queue/search.ts'

export interface Dependencies {
  readonly catalogue: Catalogue
  readonly examples: readonly Example[]
  readonly search: Search
  readonly lifecycle: Lifecycle
  readonly log: Logger
  /** Milliseconds since some moment, never backwards. */
  readonly clock: () => number
  readonly requestsPerMinute: number
  /** Whose X-Forwarded-For is believed: so many proxies, or those of these networks. */
  readonly trustProxy: number | readonly string[]
  /** None where none is asked for. */
  readonly apiKeys: readonly string[]
  /** Another one may answer otherwise. */
  readonly build: string
  readonly metrics: Metrics
  /** Whether the app answers GET /metrics itself. */
  readonly metricsHere: boolean
}
