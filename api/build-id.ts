/** Identifies this build by a hash of its code and catalogues, on which its answers depend. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './root.ts'

const folders = ['dist', 'fixtures/models', 'fixtures/hardware', 'fixtures/stacks', 'fixtures/options']

export function buildId(): string {
  const hash = createHash('sha256')
  for (const folder of folders) {
    const directory = fileURLToPath(new URL(folder, root))
    const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    )
    for (const path of files.map((file) => join(file.parentPath, file.name)).sort()) {
      hash.update(path.slice(directory.length)).update('\0').update(readFileSync(path)).update('\0')
    }
  }
  return hash.digest('hex').slice(0, 16)
}
