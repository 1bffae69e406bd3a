/** JSON without the comments and the last commas that editors and hjson take, of the same lines; any other text as it is. */
export function uncommented(text: string): string {
  if (!/^\s*(\/[/*]|\{)/.test(text)) return text
  const bare = text.replaceAll(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
    part.startsWith('"') ? part : part.replaceAll(/[^\n]/g, ' '),
  )
  try {
    JSON.parse(bare.replaceAll(/,(?=\s*[}\]])/g, ' '))
    return bare
  } catch {
    return text
  }
}
