/** What was typed cannot be meant: told without a stack, and the command ends as with any bad input. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A file that cannot be read: of many that are checked one of them, and no more. */
export class UnreadableFile extends UsageError {}
