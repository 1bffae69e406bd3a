/** A script that a command starts or sources (`bash run.sh 8B`, `. ./config.sh`, `sbatch --nodes=4 job.sh`), where the same text has it as a file that it writes. */
import type { Documents } from './documents.ts'
import { slurmOptions } from './slurm.ts'

export interface Called {
  readonly text: string
  /** The variables of what is sourced are the caller's. */
  readonly how: 'started' | 'sourced'
  /** Variables that it is started with: its arguments, and what Slurm is told of it. */
  readonly given: ReadonlyMap<string, readonly string[]>
}

const sourcing: readonly string[] = ['source', '.']
const starting: readonly string[] = [...sourcing, 'bash', 'sh', 'sbatch', 'srun']

export function calledBy(words: readonly string[], documents: Documents): Called | null {
  if (documents.all.size === 0) return null
  const [first = ''] = words
  const from = starting.includes(first) ? 1 : 0
  const at = words.findIndex((word, index) => index >= from && documents.named(word) !== null)
  const text = documents.named(words[at] ?? '')
  // A command by itself is called where it lies (./run.sh), not by a name that a program may have too.
  if (text === null || (from === 0 && (at > 0 || !first.includes('/')))) return null
  const own = words.slice(at + 1)
  const sourced = sourcing.includes(first)
  const slurm = slurmOptions(words.slice(1, at)).map(([name, value]) => [name, [value]] as const)
  return {
    text,
    how: sourced ? 'sourced' : 'started',
    given: new Map([...slurm, ...(sourced && own.length === 0 ? [] : argumentsOf(own))]),
  }
}

/** `$1` and its like, `$@` and `$#`. */
export function argumentsOf(words: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  const each = words.map((word, index) => [`${index + 1}`, [word]] as const)
  return [...each, ['@', words], ['*', words], ['#', [`${words.length}`]]]
}
