/**
 * What a worker sends back: the text of a body, or an error caused by the client. The text is written in the worker, as
 * an answer may have megabytes: the edge only passes bytes on.
 */
import { finite } from '../http/finite.ts'
import { type Fault, ProblemError, type ProblemSlug } from '../problems.ts'
import type { Report } from '../report/report.ts'
import { selected, type Telling, textTypes } from './telling.ts'

/** An error caused by the client is plain data, so that it can cross threads. */
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
  /** UTF-8, usually JSON; the part before the times of the search. */
  readonly start: Bytes
  /** The part after the times, which are known only once the search is over; null if the answer has no times. */
  readonly end: Bytes | null
  /** Content type, if not JSON. */
  readonly type?: string
}

/** Has a buffer of its own, which can be transferred between threads. */
export type Bytes = Uint8Array<ArrayBuffer>

interface Wanted<Body> {
  /** Whether the answer gives the time of its search, at the end of `search`. */
  readonly timed?: boolean
  readonly tell?: Telling | undefined
  readonly report?: Report<Body>
}

export function replied<Body extends object>(answer: () => Body, wanted: Wanted<Body> = {}): Reply {
  try {
    return { written: writtenAs(answer(), wanted) }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const { slug, message, faults } = error
    return { refused: { slug, detail: message, faults } }
  }
}

function writtenAs<Body extends object>(body: Body, { timed, tell, report }: Wanted<Body>): Written {
  if (tell?.as && report)
    return { start: encoded(report[tell.as](body)), end: null, type: textTypes[tell.as] }
  const own = selected(body, tell?.fields ?? [])
  return timed && 'search' in own ? writtenAround(own) : { start: encoded(json(own)), end: null }
}

/** The text of a reply; throws if the request was refused. */
export function writtenOf(reply: Reply): Written {
  if ('written' in reply) return reply.written
  const { slug, detail, faults } = reply.refused
  throw new ProblemError(slug, detail, faults)
}

/** Parses the body again; used only for answers that are never long, as they have two plans. */
export function bodyOf<Body>({ start }: Written): Body {
  return JSON.parse(new TextDecoder().decode(start)) as Body
}

/** The parts to write in sequence, with the times at the end of `search`. */
export function textOf({ start, end }: Written, times: object): readonly Bytes[] {
  return end ? [start, encoded(`,${JSON.stringify(times).slice(1)}`), end] : [start]
}

/** Approximate memory of a reply. */
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
