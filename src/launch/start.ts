/**
 * How a framework is started with a plan: a command that a shell runs as it stands on each host, the files that it reads, and the
 * release or commit whose names they have. What hosts differ by, a scheduler says in the environment: SLURM_NODEID, MASTER_ADDR.
 */

export interface LaunchFile {
  readonly name: string
  readonly text: string
}

export interface Start {
  readonly version: string
  readonly command: string
  readonly files: readonly LaunchFile[]
  /** Of it what lays the model out, apart from what says the model: for who has a config of it. */
  readonly parallelism?: string
}

/** As a word of a shell. */
export function shellWord(text: string | number): string {
  const word = String(text)
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

export function shellWords(words: readonly (string | number)[]): string {
  return words.map(shellWord).join(' ')
}

/** Which host this is, from 0, and the first of them. */
export const hostRank = `"\${SLURM_NODEID:-0}"`

export const firstHost = `"\${MASTER_ADDR:?the first host}"`
