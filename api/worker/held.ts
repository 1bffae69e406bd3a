/**
 * Built modules hold the last closure of each function, and so all of the search that it was made in (build/held-closures.mjs), some ten megabytes
 * for each way to search. After the same ways through little searches they hold as many functions, and little else.
 */
import { aside } from '../../src/recent.ts'

declare global {
  /** Of each built module, what lets go of the closures that it holds; absent where nothing was built. */
  var heldClosures: readonly (() => void)[] | undefined
}

export function holdLittle(searchLittle: () => void): void {
  for (const letGo of globalThis.heldClosures ?? []) letGo()
  aside(searchLittle)
}
