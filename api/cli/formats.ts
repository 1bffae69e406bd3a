/** Writers of answers, by the name of the format. */

import { stringify } from 'yaml'
import { ownValue } from '../../src/fields.ts'
import type { Report } from '../report/report.ts'
import { UsageError } from './usage-error.ts'

export type Write<Answer> = (answer: Answer, width: number | undefined) => string

export type Formats<Answer> = Readonly<Record<string, Write<Answer>>>

/** A report with JSON and YAML beside it, in the order in which help lists them. */
export function formatsOf<Answer>({ text, ...others }: Report<Answer>): Formats<Answer> {
  return { text, json, yaml, ...others }
}

export const json: Write<unknown> = (answer) => `${JSON.stringify(answer, null, 2)}\n`
export const yaml: Write<unknown> = (answer) => stringify(answer)

export function written<Answer>(formats: Formats<Answer>, name: string): Write<Answer> {
  const write = ownValue(formats, name)
  if (!write) throw new UsageError(`${name} is no format; there are ${Object.keys(formats).join(', ')}`)
  return write
}
