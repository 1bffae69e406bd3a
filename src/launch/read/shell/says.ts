/** What a test says: null where it depends on what is not known. Lists join what their commands say. Source: bash(1), "Lists". */
import type { Reader } from './word.ts'

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

/** The sign of a list at the position, which is not read. */
export function signAt({ text, at }: Pick<Reader, 'text' | 'at'>): Sign | null {
  const two = text.slice(at, at + 2)
  return two === '&&' || two === '||' ? two : null
}
