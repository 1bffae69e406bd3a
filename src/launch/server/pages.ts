/** Parts of prompts are whole pages of a cache at some servers, whatever part a plan has that somebody wrote. */
import type { Serving } from './serving.ts'

/** The nearest number of tokens that are whole pages, which has room for them. */
export function wholePages(tokens: number, positions: number): number {
  return Math.ceil(tokens / positions) * positions
}

/** Null for the plans of a search, whose steps are whole pages already (modes/serve/readers.ts). */
export function pagesNote(serving: Serving, framework: string, positions: number): string | null {
  const { mode, chunked, unitTokens } = serving
  const told = wholePages(unitTokens, positions)
  if (told === unitTokens || !(chunked || mode === 'serve')) return null
  return `${framework} reads prompts in whole pages of ${positions} positions: it is told ${told} tokens of each group in a step, where the plan has ${unitTokens}.`
}
