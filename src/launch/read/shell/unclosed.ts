/** A quote that nothing closes: all behind it is one word, so that no command is found there. */
import type { Reader } from './word.ts'

/** Says where it opens, and nothing of what is in it, which may be a secret. */
export function unclosedQuote({ text, unclosed }: Pick<Reader, 'text' | 'unclosed'>): string | null {
  if (unclosed === undefined) return null
  const before = text.slice(0, unclosed)
  const [, name] = /(?<![\w])([A-Za-z_]\w{0,100})=$/.exec(before) ?? []
  const whose = name === undefined ? '' : `, that of ${name},`
  return `a quote (${text[unclosed]}) which opens on line ${before.split('\n').length}${whose} is not closed, so that all behind it is one word`
}
