/**
 * Names that a catalogue may have for a model as launch files call it: without its owner, and without what names a release of it
 * (Instruct, FP8, hf) rather than another model. `meta-llama/Llama-3.1-70B-Instruct-FP8` may be `llama-3.1-70b`.
 */

/** Where the size is not as in the catalogue. */
const others: Readonly<Record<string, string>> = {
  'llama-4-maverick-17b-128e': 'llama-4-maverick',
  'llama-4-17b-128e': 'llama-4-maverick',
  'llama-4-scout-17b-16e': 'llama-4-scout',
  'llama-4-17b-16e': 'llama-4-scout',
  'deepseek-3-671b': 'deepseek-v3',
  'deepseek-2-236b': 'deepseek-v2',
  'deepseek-2-16b': 'deepseek-v2-lite',
  'deepseek-v2-lite-chat': 'deepseek-v2-lite',
  'kimi-k2-1t': 'kimi-k2',
  'gpt-3-6b': 'gpt-3-6.7b',
}

/** The longest first. */
export function catalogueNames(written: string): readonly string[] {
  const plain = written
    .slice(0, 200)
    .slice(written.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/^meta-/, '')
    .replace(/^(llama|gpt|gemma|deepseek)(\d)/, '$1-$2')
  const parts = plain.split('-')
  return parts.flatMap((_, at) => {
    const [kept, rest] = [parts.slice(0, parts.length - at), parts.slice(parts.length - at)]
    const another = rest.some((part) => /^\d+(\.\d+)?[bmt]$|^distill|^lite$|^vl$|^coder$|^next$/.test(part))
    const name = kept.join('-')
    return another ? [] : [others[name] ?? name]
  })
}

/** What its name says of how it is quantised; nothing where it says nothing. */
export function quantisationNamed(written: string): Readonly<Record<string, string>> {
  const found = quantisations.find(([pattern]) => pattern.test(written))
  return found ? { weights: found[1], compute: found[2] } : {}
}

const quantisations: readonly (readonly [RegExp, string, string])[] = [
  [/[-_](nv)?fp4\b/i, 'fp4', 'fp4'],
  [/[-_]fp8\b/i, 'fp8', 'fp8'],
  [/[-_](w8a8|int8)\b/i, 'int8', 'int8'],
  [/[-_](awq|gptq|w4a16|int4)\b/i, 'int4', 'bf16'],
]
