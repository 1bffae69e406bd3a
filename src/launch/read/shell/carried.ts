/** Commands that a command carries in one argument: bash -c '…', sbatch --wrap '…', xpk's --command='…', or a text that it writes down, $(cat <<EOM …); all of eval's are one. */
const carrying = /^(-[a-z]*c|--command|--wrap)$/
const writtenDown = /^\$\(cat\s*<<-?\s*['"]?(\w+)['"]?\n([\s\S]*?)\n\s*\1\s*\)$/

export function carriedIn(words: readonly string[]): readonly string[] {
  if (words[0] === 'eval') return [words.slice(1).join(' ')]
  return words.flatMap((word, index) => {
    if (!/\s/.test(word)) return []
    const body = writtenDown.exec(word)?.[2]
    if (body !== undefined) return [body.replaceAll('\\$', '$')]
    const [name = '', ...rest] = word.split('=')
    if (rest.length > 0 && carrying.test(name)) return [rest.join('=')]
    return carrying.test(words[index - 1] ?? '') ? [word] : []
  })
}
