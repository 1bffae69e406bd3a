/** What comes back from where requests are answered: a body, or an error that is the client's. */
import { type Fault, ProblemError, type ProblemSlug } from './problems.ts'

/** Across threads an error that is the client's is data. */
export type Reply<Body> =
  | { readonly body: Body }
  | {
      readonly refused: {
        readonly slug: ProblemSlug
        readonly detail: string
        readonly faults: readonly Fault[]
      }
    }

export function replied<Body>(answer: () => Body): Reply<Body> {
  try {
    return { body: answer() }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const { slug, message, faults } = error
    return { refused: { slug, detail: message, faults } }
  }
}

/** The body of a reply; throws what was refused. */
export function bodyOf<Body>(reply: Reply<Body>): Body {
  if ('body' in reply) return reply.body
  const { slug, detail, faults } = reply.refused
  throw new ProblemError(slug, detail, faults)
}
