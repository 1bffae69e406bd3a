/** What the command touches besides its arguments, handed in by the composition root, or by a test. */
import type { Asker } from './asker.ts'

export interface World {
  /** Of a file, or of what is piped in where it is `-`. Throws an error with a message for people. */
  readonly read: (file: string) => string
  readonly write: (file: string, text: string) => void
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Of the terminal; none where there is none. */
  readonly width: number | undefined
  readonly asker: (server: string | undefined) => Promise<Asker>
  readonly serve: () => Promise<void>
}
