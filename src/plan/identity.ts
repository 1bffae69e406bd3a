/** A stable id for a plan: the 64-bit FNV-1a hash of its choices, in hexadecimal. */
const offset = BigInt('0xcbf29ce484222325')
const prime = BigInt('0x100000001b3')
const mask = BigInt('0xffffffffffffffff')

export function planId(chosen: unknown): string {
  let hash = offset
  for (const character of JSON.stringify(chosen)) {
    hash = ((hash ^ BigInt(character.codePointAt(0) ?? 0)) * prime) & mask
  }
  return hash.toString(16).padStart(16, '0')
}
