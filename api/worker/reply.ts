/**
 * What comes back from where requests are answered: the text of a body, or an error that is the client's. The text is written there, as an
 * answer may have megabytes: the edge hands bytes on and reads none of them.
 */
import { finite } from '../http/finite.ts'
import { type Fault, ProblemError, type ProblemSlug } from '../problems.ts'
import { selected, type Telling } from './telling.ts'

/** Across threads an error that is the client's is data. */
export type Reply =
  | { readonly written: Written }
  | {
      readonly refused: {
        readonly slug: ProblemSlug
        readonly detail: string
        readonly faults: readonly Fault[]
      }
    }

export interface Written {
  /** JSON in UTF-8. */
  readonly start: Bytes
  /** What follows on the times of the search, which are known once it is over; none where none are told. */
  readonly end: Bytes | null
  /** Of what is no JSON. */
  readonly type?: string
}

/** With a buffer of its own, to be handed from thread to thread. */
export type Bytes = Uint8Array<ArrayBuffer>

/** How a task's answers are told as texts. */
export type Tellers<Body> = Readonly<Record<NonNullable<Telling['as']>, (body: Body) => string>>

interface Wanted<Body> {
  /** The time of the search is told, at the end of `search`. */
  readonly timed?: boolean
  readonly tell?: Telling | undefined
  readonly tellers?: Tellers<Body>
}

const types = { text: 'text/plain', markdown: 'text/markdown', csv: 'text/csv' } as const

export function replied<Body extends object>(answer: () => Body, wanted: Wanted<Body> = {}): Reply {
  try {
    return { written: writtenAs(answer(), wanted) }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const { slug, message, faults } = error
    return { refused: { slug, detail: message, faults } }
  }
}

function writtenAs<Body extends object>(body: Body, { timed, tell, tellers }: Wanted<Body>): Written {
  if (tell?.as && tellers) return { start: encoded(tellers[tell.as](body)), end: null, type: types[tell.as] }
  const own = selected(body, tell?.fields ?? [])
  return timed && 'search' in own ? writtenAround(own) : { start: encoded(json(own)), end: null }
}

/** The text of a reply; throws what was refused. */
export function writtenOf(reply: Reply): Written {
  if ('written' in reply) return reply.written
  const { slug, detail, faults } = reply.refused
  throw new ProblemError(slug, detail, faults)
}

/** Read again, of an answer that is never long: one that has two plans. */
export function bodyOf<Body>({ start }: Written): Body {
  return JSON.parse(new TextDecoder().decode(start)) as Body
}

/** What to write one after the other, with the times at the end of `search`. */
export function textOf({ start, end }: Written, times: object): readonly Bytes[] {
  return end ? [start, encoded(`,${JSON.stringify(times).slice(1)}`), end] : [start]
}

/** What it takes of memory, but for a little. */
export function sizeOf(reply: Reply): number {
  if ('refused' in reply) return 2 * JSON.stringify(reply.refused).length
  return reply.written.start.length + (reply.written.end?.length ?? 0)
}

function writtenAround(body: object): Written {
  const keys = Object.keys(body)
  const after = keys.indexOf('search') + 1
  const some = (from: number, to: number) =>
    json(Object.fromEntries(Object.entries(body).slice(from, to))).slice(1, -1)
  const rest = some(after, keys.length)
  return {
    start: encoded(`{${some(0, after).slice(0, -1)}`),
    end: encoded(rest === '' ? '}' : `,${rest}}`),
  }
}

function json(value: unknown): string {
  return JSON.stringify(value, finite)
}

function encoded(text: string): Bytes {
  return new TextEncoder().encode(text)
}
