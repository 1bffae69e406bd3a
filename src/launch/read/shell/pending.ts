import type { Opened } from './here-document.ts'
import type { Written } from './redirection.ts'

/** A here-document that follows its line. */
export interface Pending {
  readonly opened: Opened
  readonly file: Written | null
  /** The command that it is the input of, where that runs. */
  readonly words: readonly string[]
}
