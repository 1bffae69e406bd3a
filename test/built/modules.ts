/**
 * Lets what tests and measures import the modules of `dist` in place of the sources that it names: that is then what the service runs, loaded
 * by Node itself, in little more than half of the time. A loader compiles each source anew, and looks up imported names in objects.
 */
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../../', import.meta.url))
const rooms = ['src', 'api', 'solvers']

/** The built module that a source stands for, by what imports it; null where it stands for none. */
export type BuiltModules = (specifier: string, importer: string) => string | null

/** Only where every module is built from its source as it stands, since some of each would be two of everything. */
export function builtModules(root = project): BuiltModules {
  const builtFrom = (source: string) => `${root}dist/${source.replace(/\.ts$/, '.js')}`
  const isBuilt = (source: string) => {
    const built = statSync(builtFrom(source), { throwIfNoEntry: false })
    return built !== undefined && built.mtimeMs >= statSync(`${root}${source}`).mtimeMs
  }
  const sources = rooms.flatMap((room) =>
    readdirSync(`${root}${room}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${room}/${file}`),
  )
  const built = sources.every(isBuilt) ? new Set(sources) : new Set()
  return (specifier, importer) => {
    if (!specifier.startsWith('.')) return null
    const path = fileURLToPath(new URL(specifier, importer))
    const own = path.slice(root.length)
    return path.startsWith(root) && built.has(own) ? builtFrom(own) : null
  }
}
