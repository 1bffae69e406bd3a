/** A plan that somebody wrote may be copied from an answer: it has fields that are not read, as they follow from those that are. */
import { z } from 'zod'

const unread = z.exactOptional(z.unknown().describe('As in an answer; accepted, but not read.'))

type WithUnread<Read, Answered> = Read & Record<Exclude<keyof Answered, keyof Read>, typeof unread>

/** The fields that are read, and after them all others of an answered plan. */
export function withAnswered<Read extends object, Answered extends object>(
  read: Read,
  answered: Answered,
): WithUnread<Read, Answered> {
  const others = Object.keys(answered).filter((name) => !Object.hasOwn(read, name))
  const fields = { ...read, ...Object.fromEntries(others.map((name) => [name, unread])) }
  return fields as WithUnread<Read, Answered>
}
