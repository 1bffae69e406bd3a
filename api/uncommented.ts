/**
 * JSON without the comments that editors and hjson take, of the same lines; last commas stay, as YAML takes them. Any other text is as it is.
 */
export function uncommented(text: string): string {
  if (!/^\s*(\/[/*]|\{)/.test(text)) return text
  const bare = text.replaceAll(parts, (part) => (comment.test(part) ? part.replaceAll(/[^\n]/g, ' ') : part))
  try {
    JSON.parse(bare.replaceAll(/,(?=\s*[}\]])/g, ' '))
    return bare
  } catch {
    return text
  }
}

/** Strings and comments. What nothing closes lasts to the end of the text, which is looked through once for it. */
const parts = /"(?:\\[\s\S]|[^"\\])*(?:"|\\?$)|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*$)/g
const comment = /^\/(\/|\*[\s\S]*\*\/$)/
