/** Error responses of the OpenAPI document, one component per status, from the table of problems. */
import { type ProblemKind, type ProblemSlug, problems } from '../problems.ts'
import { schemaReference } from './components.ts'

const kinds: readonly (readonly [string, ProblemKind])[] = Object.entries(problems)

/** All statuses but 405, which belongs to no method of a path: the document's description mentions it. */
export function errorComponents() {
  const statuses = [...new Set(kinds.map(([, { status }]) => status))].filter((status) => status !== 405)
  return Object.fromEntries(statuses.map((status) => [`Error${status}`, errorComponent(status)]))
}

/** How any request may be answered before a route has it. */
const anywhere = ['too-slow', 'headers-too-long'] as const satisfies readonly ProblemSlug[]

export function errorReferences(...slugs: readonly ProblemSlug[]) {
  const statuses = [...new Set([...slugs, ...anywhere].map((slug) => problems[slug].status))].sort()
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/Error${status}` }]),
  )
}

function errorComponent(status: number) {
  const members = kinds.filter(([, kind]) => kind.status === status)
  const waits = status === 429 || status === 503
  return {
    description: members
      .map(([slug, { title, help }]) => `${title} (\`/problems/${slug}\`). ${help}`)
      .join('\n\n'),
    headers: { ...idHeader, ...(waits ? retryAfter : {}), ...(status === 401 ? challenge : {}) },
    content: { 'application/problem+json': { schema: schemaReference('Problem') } },
  }
}

export const idHeader = {
  'x-request-id': {
    description:
      'Id of the request: the one that was sent, if it has 1 to 64 letters, digits, dots, dashes or underscores; otherwise a new one.',
    schema: { type: 'string' },
  },
}

const challenge = {
  'www-authenticate': { description: 'The authentication scheme, `Bearer`.', schema: { type: 'string' } },
}

const retryAfter = {
  'retry-after': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } },
}
