/** The version of the project, from its package.json. */
import { readFileSync } from 'node:fs'
import { root } from './root.ts'

export function version(): string {
  const project = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }
  return project.version
}
