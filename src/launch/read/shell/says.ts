/** What a test says: null where it depends on what is not known. Lists join what their commands say. Source: bash(1), "Lists". */

export type Says = boolean | null

export type Sign = '&&' | '||'

/** What one side decides does not wait for the other. */
export function joined(sign: Sign, left: Says, right: Says): Says {
  const decides = sign === '||'
  if (left === decides || right === decides) return decides
  return left === null || right === null ? null : !decides
}

export function denied(says: Says): Says {
  return says === null ? null : !says
}
