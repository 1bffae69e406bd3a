/** What was typed makes no sense: reported without a stack, with the exit code of bad input. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A file cannot be read; if many are checked, only this one fails. */
export class UnreadableFile extends UsageError {}
