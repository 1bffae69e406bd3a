/** Evaluates whole-number arithmetic of a shell, `$((A * B))`: + - * / % and parentheses. Null for anything else. */
/** Limit on the text's length, which also limits how deep brackets nest. */
const longest = 500

export function arithmetic(text: string): number | null {
  if (text.length > longest) return null
  const tokens = text.match(/\d+|[-+*/%()]|\S/g) ?? []
  let at = 0

  function sum(): number | null {
    let left = product()
    while (left !== null && (tokens[at] === '+' || tokens[at] === '-')) {
      const minus = tokens[at++] === '-'
      const right = product()
      left = right === null ? null : minus ? left - right : left + right
    }
    return left
  }

  function product(): number | null {
    let left = unit()
    for (
      let operator = tokens[at];
      left !== null && operator && '*/%'.includes(operator);
      operator = tokens[at]
    ) {
      at++
      const right = unit()
      if (right === null || (right === 0 && operator !== '*')) return null
      left = operator === '*' ? left * right : operator === '/' ? Math.trunc(left / right) : left % right
    }
    return left
  }

  function unit(): number | null {
    const token = tokens[at++]
    if (token === '(') {
      const inner = sum()
      return tokens[at++] === ')' ? inner : null
    }
    return token !== undefined && /^\d+$/.test(token) ? Number(token) : null
  }

  const value = sum()
  return at === tokens.length ? value : null
}
