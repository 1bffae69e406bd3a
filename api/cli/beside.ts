/**
 * A launch script with the scripts that it starts or sources, and the settings that it names, as far as they lie beside it: each stands in
 * front of its commands as a script writes a file (`cat > NAME <<'EOF'`), which is how it is read where there are no files.
 */
import { basename, dirname, join } from 'node:path'
import { fileWritten } from '../translate/launch/manifest.ts'
import type { LaunchText } from './launch-lines.ts'

/** A command that starts or sources a script, which one of its words names. */
const calls = /^\s*(?:\w+=\S*\s+|nohup\s+|exec\s+)*(?:(?:source|\.|bash|sh|sbatch|srun)\s|\.\/)/
const scripts = /\.(sh|bash|conf|env|slurm|sbatch)$/

/** Files of settings: of torchtitan, whoever they are given to, and those that servers are told of. */
const settings =
  /[\w./-]+\.toml\b|(?<=--(?:config|extra[-_](?:llm[-_]api[-_]options|engine[-_]args))[= ]+["']?)[\w./-]+\.ya?ml\b/g

const mostFiles = 20

export function withScripts(text: string, file: string, read: (file: string) => string): string {
  return launchRead(text, file, read).whole
}

interface LaunchFiles {
  /** What is read, as one text. */
  readonly whole: string
  /** The files that it is made of, the launch file itself first. */
  readonly texts: readonly LaunchText[]
}

export function launchRead(text: string, file: string, read: (file: string) => string): LaunchFiles {
  const found = new Map<string, Beside>()
  let above: readonly string[] | null = null
  const besideOrAbove = (name: string): Beside | null => {
    const own = readable(join(dirname(file), name), read)
    if (own !== null) return own
    above ??= foldersAbove(file, read)
    for (const folder of above) {
      const further = readable(join(folder, name), read)
      if (further !== null) return further
    }
    return null
  }
  const look = (within: string) => {
    const commands = within
      .replaceAll(/\\\n/g, ' ')
      .split(/[\n;|&]/)
      .filter((line) => calls.test(line))
    for (const path of commands.flatMap((line) => line.match(/(?:\$\([^)]*\)|\S)+/g) ?? [])) {
      // A directory that a command prints (`pwd`, $(dirname "$0")) is taken to be the script's own.
      const name = path
        .replaceAll(/["'`]/g, '')
        .replace(/^.*[$)}][^/]*\//, '')
        .replace(/^pwd\//, './')
      if (!scripts.test(name) || name.includes('$') || found.has(name) || found.size >= mostFiles) continue
      const own = besideOrAbove(name)
      if (own === null) continue
      found.set(name, own)
      look(own.text)
    }
  }
  look(text)
  for (const [path] of text.matchAll(settings)) {
    const own = found.size < mostFiles ? besideOf(file, path, read) : null
    if (own !== null) found.set(path, own)
  }
  // Lines for Slurm have to stay in front of the first command.
  const [head = ''] = /^(?:[ \t]*(?:#.*)?\n)*/.exec(text) ?? []
  const files = [...found].flatMap(([name, own]) => fileWritten(name, own.text))
  const texts = [{ file, text }, ...found.values()].map((one) => ({ ...one, first: 1 }))
  return { whole: head + [...files, text.slice(head.length)].join('\n'), texts }
}

interface Beside {
  readonly file: string
  readonly text: string
}

/** The folders that a script's own lies in, up to that of its repository, from which its scripts may be started; none where it is in no repository. */
function foldersAbove(file: string, read: (file: string) => string): readonly string[] {
  const folders: string[] = []
  for (let folder = dirname(file); folders.length <= mostFolders; folder = join(folder, '..')) {
    folders.push(folder)
    // A further working copy has a file in its place.
    if (['.git/HEAD', '.git'].some((mark) => readable(join(folder, mark), read) !== null))
      return folders.slice(1)
  }
  return []
}

const mostFolders = 8

/** A file by its path from where the script lies, or by its name beside it. */
function besideOf(file: string, path: string, read: (file: string) => string): Beside | null {
  return readable(join(dirname(file), path), read) ?? readable(join(dirname(file), basename(path)), read)
}

/** Null where there is no such file to read. */
function readable(path: string, read: (file: string) => string): Beside | null {
  try {
    return { file: path, text: read(path) }
  } catch {
    return null
  }
}
