import type { Opened } from './here-document.ts'
import type { Written } from './redirection.ts'

/** A here-document that follows its line. */
export interface Pending {
  readonly opened: Opened
  readonly file: Written | null
  /** Whether it is a script that the command starts. */
  readonly starts: boolean
  /** The command that it is the input of. */
  readonly words: readonly string[]
}
