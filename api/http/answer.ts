/** Sends the text of an answer as it came from the search, with the time that the search took. */
import type { Response } from 'express'
import type { Searched } from '../queue/search.ts'
import { textOf, type Written } from '../worker/reply.ts'

export function sendAnswer(response: Response, { answer, elapsedMs, waitedMs }: Searched<Written>): void {
  const text = textOf(answer, { elapsedMs, waitedMs })
  response
    .type(answer.type ?? 'json')
    .set('content-length', String(text.reduce((sum, { length }) => sum + length, 0)))
  for (const part of text) response.write(part)
  response.end()
}
