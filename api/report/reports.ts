/** How checks may be told besides JSON, by what a client accepts. */
import type { Validation } from '../../src/validate.ts'
import { version } from '../version.ts'
import { junit } from './junit.ts'
import { sarif } from './sarif.ts'
import { text } from './text.ts'

export type { Validation }

export interface Report {
  readonly type: string
  readonly write: (validation: Validation) => string
}

/** JSON comes first: it is what a client gets that accepts anything. */
export const reports: Readonly<Record<string, Report | undefined>> = {
  'application/json': undefined,
  'application/xml': { type: 'application/xml', write: junit },
  'application/sarif+json': {
    type: 'application/sarif+json',
    write: (validation) => JSON.stringify(sarif(validation, version())),
  },
  'text/plain': { type: 'text/plain', write: text },
}
