/** What was typed cannot be meant: told without a stack, and the command ends as with any bad input. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
