/**
 * Requests that work, from fixtures/requests: a file is the body itself, and its name up to the first hyphen is the
 * route (`optimize-llama-3-70b-on-v5p.json`). The docs show them, and a test sends each.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { root } from './root.ts'

export interface Example {
  readonly name: string
  readonly route: string
  readonly summary: string
  readonly body: unknown
}

export function loadExamples(): readonly Example[] {
  const directory = new URL('fixtures/requests/', root)
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const name = file.slice(0, -'.json'.length)
      const [route = '', ...words] = name.split('-')
      const body: unknown = JSON.parse(readFileSync(new URL(file, directory), 'utf8'))
      return { name, route: `/${route}`, summary: words.join(' '), body }
    })
}
