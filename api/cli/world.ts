/** What the command touches besides its arguments; passed in by the composition root, or by a test. */
import type { Asker } from './asker.ts'

export interface World {
  /** Reads a file, or standard input for `-`. Throws an error with a message for people. */
  readonly read: (file: string) => string
  /** Throws an error with a message for people, like `read`. */
  readonly write: (file: string, text: string) => void
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Columns of the terminal; undefined if output is not one. */
  readonly width: number | undefined
  readonly asker: (server: string | undefined) => Promise<Asker>
  readonly serve: () => Promise<void>
}
