import type { Change } from '../src/rules/part-rule.ts'

/** The table of all errors that the service answers with, and the error class that carries them to the edge. */
export interface ProblemKind {
  readonly title: string
  readonly status: number
  /** What a client can do about it. */
  readonly help: string
}

export const problems = {
  'malformed-json': {
    title: 'Body is not JSON',
    status: 400,
    help: 'Send one JSON object in UTF-8. `detail` says where parsing failed.',
  },
  'not-http': {
    title: 'Not a request of HTTP/1.1',
    status: 400,
    help: 'Send requests by a library or program for HTTP. Bytes that cannot be read as a request reach no route.',
  },
  'invalid-request': {
    title: 'Request does not match the schema',
    status: 400,
    help: 'Each entry of `errors` points at one value of the request and says what is expected there. The schemas are at /docs.',
  },
  unauthorized: {
    title: 'API key missing or unknown',
    status: 401,
    help: 'Send `authorization: Bearer <key>` with a key from the operator of the service. Health checks and documentation need none.',
  },
  'not-found': {
    title: 'Not found',
    status: 404,
    help: 'The routes are listed at /docs; models, chips and stacks at /models, /hardware and /stacks.',
  },
  'method-not-allowed': {
    title: 'Method not allowed',
    status: 405,
    help: 'The `Allow` header lists the methods of this path.',
  },
  'not-acceptable': {
    title: 'Answer not available in this format',
    status: 406,
    help: '`detail` lists the media types that `Accept` may name here. Without that header the answer is JSON.',
  },
  'too-slow': {
    title: 'Request not received in time',
    status: 408,
    help: 'Send headers and body without long pauses. What the service waits for is set by its operator (HEADERS_TIMEOUT_SECONDS, REQUEST_TIMEOUT_SECONDS).',
  },
  unchanged: {
    title: 'Answer is unchanged',
    status: 412,
    help: 'The answer to this request has an entity tag that `If-None-Match` lists. Leave that header out to get the answer again.',
  },
  'body-too-large': {
    title: 'Body too large',
    status: 413,
    help: 'A request body may have at most 1 MiB.',
  },
  'unsupported-media-type': {
    title: 'Unsupported media type',
    status: 415,
    help: 'Send `content-type: application/json`, in UTF-8.',
  },
  'unknown-name': {
    title: 'Unknown name',
    status: 422,
    help: 'The catalogues are at /models, /hardware and /stacks. `errors` suggests the nearest names.',
  },
  'not-offered': {
    title: 'Not offered yet',
    status: 422,
    help: 'The request asks for something that this version does not compute. /docs lists what it does.',
  },
  'impossible-combination': {
    title: 'Impossible combination',
    status: 422,
    help: 'Each value is legal by itself, but not together with the others. `errors` points at the values to change.',
  },
  'illegal-plan': {
    title: 'Illegal plan',
    status: 422,
    help: 'No framework could run the plan as given. `errors` points at the fields that prevent it.',
  },
  'search-too-large': {
    title: 'Search needs too much memory',
    status: 422,
    help: 'Narrow the search with `constraints` or a smaller `top`. The operator of the service can raise WORKER_MEMORY_MB.',
  },
  'too-many-requests': {
    title: 'Too many requests',
    status: 429,
    help: 'Try again after `Retry-After` seconds.',
  },
  'headers-too-long': {
    title: 'Headers too long',
    status: 431,
    help: 'All headers together may have at most 16 KiB.',
  },
  'internal-error': {
    title: 'Internal error',
    status: 500,
    help: 'This is a defect of the service. Please report it with the id in `instance`.',
  },
  overloaded: {
    title: 'Overloaded',
    status: 503,
    help: 'All searchers are busy and the queue is full. Try again after `Retry-After` seconds.',
  },
  unavailable: {
    title: 'Unavailable',
    status: 503,
    help: 'The service runs, but cannot start a thread for searches; its log says why. Try again after `Retry-After` seconds.',
  },
  'warming-up': {
    title: 'Warming up',
    status: 503,
    help: 'This instance started a moment ago: `/readyz` says so until a thread has searched some large problems. Requests are answered already, the first of them later than those that follow. With WARM_UP=once it is ready at once.',
  },
  draining: {
    title: 'Shutting down',
    status: 503,
    help: 'This instance is shutting down. Try again after `Retry-After` seconds, when another instance should answer.',
  },
  'timed-out': {
    title: 'Search took too long',
    status: 504,
    help: 'No plan was found within `timeoutMs`. Raise it (at most 60000), or narrow the search with `constraints`. If some plan is found in time, the answer has the best found so far, with `search.exact` false.',
  },
} as const satisfies Record<string, ProblemKind>

export type ProblemSlug = keyof typeof problems

export interface Fault {
  /** JSON pointer into the request. */
  readonly pointer: string
  readonly detail: string
  readonly suggestions?: readonly string[]
  /** Changes to the request, made one after the other, that remove this fault. */
  readonly correction?: readonly Change[]
}

export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly slug: ProblemSlug
  readonly faults: readonly Fault[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    slug: ProblemSlug,
    detail: string,
    faults: readonly Fault[] = [],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail)
    this.slug = slug
    this.faults = faults
    this.headers = headers
  }
}

/** A problem with a single value of the request. */
export function faultyValue(slug: ProblemSlug, fault: Fault): ProblemError {
  return faulty(slug, [fault])
}

/** Takes its detail from the first fault. */
export function faulty(slug: ProblemSlug, faults: readonly Fault[]): ProblemError {
  const [first = { pointer: '', detail: problems[slug].title }] = faults
  return new ProblemError(slug, told(first), faults)
}

/** A fault without a pointer concerns the whole request. */
function told({ pointer, detail }: Fault): string {
  return pointer === '' ? detail : `${pointer}: ${detail}`
}

/** The first of the values that may be meant, as a change to the request. */
export function meaning(pointer: string, values: readonly unknown[]): Pick<Fault, 'correction'> {
  const [value] = values
  return value === undefined ? {} : { correction: [{ pointer, value }] }
}
