/** Hooks of Node's loader, which finds built modules in place of their sources. */
import type { ResolveHook } from 'node:module'
import { pathToFileURL } from 'node:url'
import { builtModules } from './modules.ts'

const builtFor = builtModules()

export const resolve: ResolveHook = (specifier, context, next) => {
  const built = context.parentURL?.startsWith('file:') ? builtFor(specifier, context.parentURL) : null
  return built ? { url: pathToFileURL(built).href, shortCircuit: true } : next(specifier, context)
}
