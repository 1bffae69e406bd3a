/** Commands that a command carries in one argument: bash -c '…', sbatch --wrap '…', xpk's --command='…'. */
const carrying = /^(-[a-z]*c|--command|--wrap)$/

export function carriedIn(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    if (!/\s/.test(word)) return []
    const [name = '', ...rest] = word.split('=')
    if (rest.length > 0 && carrying.test(name)) return [rest.join('=')]
    return carrying.test(words[index - 1] ?? '') ? [word] : []
  })
}
