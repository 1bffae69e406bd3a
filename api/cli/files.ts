/** Files as the command reads and writes them; what is wrong with one is told in one line, without a stack. */
import { readFileSync, writeFileSync } from 'node:fs'
import { UnreadableFile, UsageError } from './usage-error.ts'

/** `-` is standard input. */
export function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new UnreadableFile(`cannot read ${file}: ${(error as Error).message}`)
  }
}

export function writeText(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new UsageError(`cannot write ${file}: ${(error as Error).message}`)
  }
}
