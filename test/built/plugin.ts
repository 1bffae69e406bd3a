/** The same for Vitest (modules.ts). */
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vitest/config'
import { builtModules } from './modules.ts'

export function builtPlugin(): Plugin {
  const builtFor = builtModules()
  return {
    name: 'built-modules',
    enforce: 'pre',
    resolveId: (source, importer) => {
      const built = importer ? builtFor(source, pathToFileURL(importer).href) : null
      return built && { id: built, external: true }
    },
  }
}
