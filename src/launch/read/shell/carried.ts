/** Commands that a command carries in one argument: bash -c '…', sbatch --wrap '…', xpk's --command='…', what is sent to a shell of another host or terminal, ssh HOST '…', or a text that it writes down, $(cat <<EOM …); all of eval's are one. */
const sending = new Set(['ssh', 'pdsh', 'clush', 'tmux', 'screen'])
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
    const isSent = sending.has(words[0] ?? '') && index === words.length - 1
    return isSent || carrying.test(words[index - 1] ?? '') ? [word] : []
  })
}

/** Variables that a container is started with (docker run -e NAME=value), which what it carries sees in place of the host's. */
export function givenToContainer(
  words: readonly string[],
): readonly (readonly [string, readonly string[]])[] {
  if (!containers.has(words[0] ?? '')) return []
  return words.flatMap((word, at) => {
    const own = /^(?:-e|--env)(?:=([\s\S]*))?$/.exec(word)
    const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec((own && (own[1] ?? words[at + 1])) ?? '') ?? []
    return name === undefined || value === undefined ? [] : [[name, [value]] as const]
  })
}

const containers = new Set(['docker', 'podman'])
