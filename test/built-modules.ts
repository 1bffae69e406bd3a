/**
 * Lets tests import the modules of `dist` in place of the sources that they name: what is tested is then what the service runs, loaded by
 * Node itself, in little more than half of the time. Vitest compiles each source anew, and looks up imported names in objects.
 */
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vitest/config'

const root = fileURLToPath(new URL('../', import.meta.url))
const rooms = ['src', 'api', 'solvers']

/** Only where every module is built from its source as it stands, since some of each would be two of everything. */
export function builtModules(): Plugin {
  const sources = rooms.flatMap((room) =>
    readdirSync(`${root}${room}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${room}/${file}`),
  )
  const built = sources.every(isBuilt) ? new Set(sources) : new Set()
  return {
    name: 'built-modules',
    enforce: 'pre',
    resolveId: (source, importer) => {
      if (!importer || !source.startsWith('.')) return null
      const path = fileURLToPath(new URL(source, `file://${importer}`))
      const own = path.slice(root.length)
      return path.startsWith(root) && built.has(own) ? { id: builtFrom(own), external: true } : null
    },
  }
}

function isBuilt(source: string): boolean {
  const built = statSync(builtFrom(source), { throwIfNoEntry: false })
  return built !== undefined && built.mtimeMs >= statSync(`${root}${source}`).mtimeMs
}

function builtFrom(source: string): string {
  return `${root}dist/${source.replace(/\.ts$/, '.js')}`
}
