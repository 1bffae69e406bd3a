/**
 * How to start a framework with a plan: a command that runs unchanged in a shell on each host, the files that it reads,
 * and the release or commit that its names are from. What differs between hosts comes from the scheduler's environment:
 * SLURM_NODEID, MASTER_ADDR.
 */

export interface LaunchFile {
  readonly name: string
  readonly text: string
}

export interface Start {
  readonly version: string
  readonly command: string
  readonly files: readonly LaunchFile[]
  /** The part of the command that describes the layout, without the model, for users who have a config of their model. */
  readonly parallelism?: string
}

/** A word of a command. */
export type Word = string | number

/** Quotes a word for a shell if necessary. */
export function shellWord(text: Word): string {
  const word = String(text)
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

export function shellWords(words: readonly Word[]): string {
  return words.map(shellWord).join(' ')
}

/** The rank of this host, from 0, and the address of the first host. */
export const hostRank = `"\${SLURM_NODEID:-0}"`

export const firstHost = `"\${MASTER_ADDR:?the first host}"`
