/** What the app is made of; passed in by the composition root, or by a test. */
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
  /** Milliseconds since some fixed moment; never goes backwards. */
  readonly clock: () => number
  readonly requestsPerMinute: number
  /** Proxies whose X-Forwarded-For is believed: the number of them, or their networks. */
  readonly trustProxy: number | readonly string[]
  /** Empty if no key is required. */
  readonly apiKeys: readonly string[]
  /** Identifies the build, as another one may answer differently. */
  readonly build: string
  readonly metrics: Metrics
  /** Whether the app answers GET /metrics itself. */
  readonly metricsHere: boolean
}
