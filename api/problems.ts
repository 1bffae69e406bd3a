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
    help: 'Send one JSON object in UTF-8. The detail says where reading stopped.',
  },
  'invalid-request': {
    title: 'Request does not match the schema',
    status: 400,
    help: 'Each entry of `errors` points at one value and says what is expected there. The schemas are at /docs.',
  },
  unauthorized: {
    title: 'Key missing or unknown',
    status: 401,
    help: 'Send `authorization: Bearer <key>` with a key that whoever runs the service gave you. Probes and documents need none.',
  },
  'not-found': {
    title: 'Not found',
    status: 404,
    help: 'The routes are listed at /docs; models, chips and stacks at /models, /hardware and /stacks.',
  },
  'method-not-allowed': {
    title: 'Method not allowed',
    status: 405,
    help: 'The header `Allow` lists the methods of this path.',
  },
  'not-acceptable': {
    title: 'No such form of the answer',
    status: 406,
    help: 'The detail lists what `Accept` may name here. Without that header the answer is JSON.',
  },
  unchanged: {
    title: 'Answer is unchanged',
    status: 412,
    help: 'What `If-None-Match` names is the answer to this request. Without that header it is sent again.',
  },
  'body-too-large': {
    title: 'Body too large',
    status: 413,
    help: 'A request may have at most 1 MiB.',
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
    help: 'The request asks for something that this version does not compute. What it does is at /docs.',
  },
  'impossible-combination': {
    title: 'Impossible combination',
    status: 422,
    help: 'Each value is legal by itself, but they cannot stand together. `errors` points at the one to change.',
  },
  'illegal-plan': {
    title: 'Illegal plan',
    status: 422,
    help: 'No framework could run the plan as given: `errors` points at what is in the way.',
  },
  'search-too-large': {
    title: 'Search needs too much memory',
    status: 422,
    help: 'Narrow the search with `constraints` or a smaller `top`. Whoever runs the service can raise WORKER_MEMORY_MB.',
  },
  'too-many-requests': {
    title: 'Too many requests',
    status: 429,
    help: 'Wait as long as `Retry-After` says.',
  },
  'internal-error': {
    title: 'Internal error',
    status: 500,
    help: 'A defect of the service. Report it with the id in `instance`.',
  },
  overloaded: {
    title: 'Overloaded',
    status: 503,
    help: 'All searchers are busy and the queue is full. Try again after `Retry-After` seconds.',
  },
  unavailable: {
    title: 'No searcher',
    status: 503,
    help: 'The service runs, but cannot start a thread to search in; its log says why. Try again after `Retry-After` seconds.',
  },
  draining: {
    title: 'Shutting down',
    status: 503,
    help: 'This instance is going away. Try again after `Retry-After` seconds: another one should answer.',
  },
  'timed-out': {
    title: 'Search took too long',
    status: 504,
    help: 'Raise `timeoutMs` (at most 60000), or narrow the search with `constraints`. Where a plan was found in time, the best so far is answered instead, with `search.exact` false.',
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
