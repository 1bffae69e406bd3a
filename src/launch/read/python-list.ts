/**
 * Evaluates a Python list of whole numbers, such as `([0]*3+[1]*58)` or `[1,0,1]`. Null for anything else, and for
 * lists too long to describe layers.
 */
const longest = 10_000

/** Limit on the text's length, which also limits how deep brackets nest. */
const longestText = 2000

export function pythonList(text: string): readonly number[] | null {
  if (text.length > longestText) return null
  const tokens = text.match(/\d+|[-+*[\](),]|\S/g) ?? []
  let at = 0

  function sum(): readonly number[] | null {
    let all = product()
    while (all && tokens[at] === '+') {
      at++
      const more = product()
      all = more && all.length + more.length <= longest ? [...all, ...more] : null
    }
    return all
  }

  function product(): readonly number[] | null {
    const leading = /^\d+$/.test(tokens[at] ?? '') && tokens[at + 1] === '*' ? Number(tokens[at]) : null
    if (leading !== null) at += 2
    let list = unit()
    let times = leading ?? 1
    while (list && tokens[at] === '*') {
      const factor = tokens[at + 1]
      if (!factor || !/^\d+$/.test(factor)) return null
      times *= Number(factor)
      at += 2
    }
    if (list && list.length * times > longest) list = null
    return (
      list &&
      Array.from({ length: times }, () => list)
        .flat()
        .map(Number)
    )
  }

  function unit(): readonly number[] | null {
    const open = tokens[at++]
    if (open === '(') {
      const inner = sum()
      return tokens[at++] === ')' ? inner : null
    }
    if (open !== '[') return null
    const items: number[] = []
    while (tokens[at] !== ']') {
      const item = tokens[at++]
      if (!item || !/^\d+$/.test(item)) return null
      items.push(Number(item))
      if (tokens[at] === ',') at++
      else if (tokens[at] !== ']') return null
    }
    at++
    return items
  }

  const list = sum()
  return at === tokens.length ? list : null
}
