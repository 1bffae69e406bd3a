/** Files as the command reads and writes them; what is wrong with one is told in one line, without a stack. */
import { readFileSync, writeFileSync } from 'node:fs'
import { unmarked } from '../unmarked.ts'
import { UnreadableFile, UsageError } from './usage-error.ts'

/** `-` is standard input. A byte order mark is not part of the text. */
export function readText(file: string): string {
  try {
    return unmarked(decoded(readFileSync(file === '-' ? 0 : file)))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'EISDIR' ? `it is a directory: give the files in it (${file}/*)` : message
    throw new UnreadableFile(`cannot read ${file}: ${why}`)
  }
}

/** UTF-8, or UTF-16 where a mark at the start says so, as PowerShell writes it. */
function decoded(bytes: Buffer): string {
  const wide =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : null
  return wide === null ? bytes.toString('utf8') : new TextDecoder(wide).decode(bytes)
}

export function writeText(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${(error as Error).message}`)
  }
}
