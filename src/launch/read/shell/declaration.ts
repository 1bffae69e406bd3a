/** A command that declares variables, `local -i A=1 B`. Its words are expanded before it sets any of them. */
import { type Assigned, assign, assigned } from './assigned.ts'
import type { Known } from './reading.ts'
import { localising } from './reserved.ts'
import { word } from './word.ts'

export interface Declaration {
  /** Reads its next word: an option, a name or an assignment. */
  readonly read: () => void
  readonly take: () => void
}

export function declarationBy(builtin: string, known: Known): Declaration {
  const { here, variables, locals, branches } = known
  const names: string[] = []
  const set: Assigned[] = []
  let isLocal = localising.has(builtin) && branches.runs()
  return {
    read: () => {
      const one = assigned(known)
      if (one) set.push(one)
      for (const said of one ? [] : word(here)) {
        if (/^-\w*g/.test(said)) isLocal = false
        if (/^[A-Za-z_]\w*$/.test(said)) names.push(said)
      }
    },
    take: () => {
      // A variable without a value is unset in a function that did not have it yet.
      for (const name of names) if (keepApart(name)) variables.drop(name)
      for (const one of set) {
        keepApart(one.name)
        assign(known, one)
      }
    },
  }

  /** Notes that a variable is the function's own from here on; false where it was before, or is none. */
  function keepApart(name: string): boolean {
    if (!isLocal || !locals || locals.has(name)) return false
    locals.set(name, variables.all.get(name))
    return true
  }
}
